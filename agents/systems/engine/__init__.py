"""From a system and a hand to a call, and from a call to what it shows."""
