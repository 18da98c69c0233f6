"""Networks that bid, in training: imitation of recorded auctions, and the league."""
