"""Audit systems: find what a system does with hands, by position, that no pair would agree to play."""
