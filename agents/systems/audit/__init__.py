"""Sound bidding: what a system does with hands, position by position, and what no pair would agree to play."""
