"""The study of trick estimation of 2008, done again."""
