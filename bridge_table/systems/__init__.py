"""Systems on the page: their books, comparisons of versions, and background jobs."""
