"""From an auction back to hands: how far a hand is from a call, and deals that fit."""
