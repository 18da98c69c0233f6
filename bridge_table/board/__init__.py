"""A board at the table: its deal, who bids and plays it, what a seat may know of it, hints and the review."""
