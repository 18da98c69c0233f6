"""Bid by networks: their inputs, arithmetic and files, and the players made of them."""
