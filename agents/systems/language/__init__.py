"""The language of bidding systems: words, lines, trees."""
