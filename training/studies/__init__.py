"""Published studies, done again."""
