"""The rules of bridge for batches of tables: cards, calls, auctions, play, scores, par."""
