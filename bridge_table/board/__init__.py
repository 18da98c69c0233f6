"""A board at the table: its deal, its bidders and players, the view of each seat, hints and the review."""
