"""Problems of card play that a plain player and a deceptive one solve."""
