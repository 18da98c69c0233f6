"""The textbook exam: positions with the calls that books agree on, and what a bidder scores in them."""
