"""Files: written atomically, JSON, learned weights; packages that may be missing."""
