"""Tables of several people: who holds which seat by which key, and challenges."""
