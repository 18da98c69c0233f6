"""Networks that bid: what they see, their arithmetic, their files, and the players made of them."""
