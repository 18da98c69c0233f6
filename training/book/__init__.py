"""A bidding system as notes for bridge players: what each call shows, how often it is made, what it is worth."""
