"""Systems on the page: their books, versions of them against each other, and long work in its own process."""
