"""The study of self-organizing maps of 2007, done again."""
