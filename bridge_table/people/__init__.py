"""Tables of several people, each seat with a key, and challenges."""
