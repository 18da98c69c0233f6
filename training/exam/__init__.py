"""Set the textbook exam: positions with the calls that books agree on, and a bidder's score."""
