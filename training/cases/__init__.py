"""Case bases fitted to recorded auctions, judged on held-out boards; the study of 2008."""
