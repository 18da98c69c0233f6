"""The study of case-based bidding of 2008, done again."""
