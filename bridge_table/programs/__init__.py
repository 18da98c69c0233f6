"""Other bridge programs over HTTP: bidders and card players for them, and a seat that one of them takes."""
