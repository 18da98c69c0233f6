"""Print a book for players: the convention card, what would surprise them, notes by auction."""
