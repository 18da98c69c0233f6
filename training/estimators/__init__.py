"""Networks that estimate double-dummy tricks."""
