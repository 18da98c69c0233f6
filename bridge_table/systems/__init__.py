"""Systems on the page: their books and comparisons of versions."""
