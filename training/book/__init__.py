"""Write a bidding system as notes for bridge players: what each call shows, its frequency and its worth."""
