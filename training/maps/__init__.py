"""Self-organizing maps fitted to a system's or to recorded auctions, judged on held-out boards; the study of 2007."""
