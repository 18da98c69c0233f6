"""Networks that estimate double-dummy tricks: our own, and the study of 2008 repeated."""
