"""Players of cards: at random, by rules, by Monte Carlo, and with the opponent's belief in mind."""
