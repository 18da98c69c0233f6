"""Fit scorecards for a bidding system: what tips the scales where its general rules would decide."""
