"""Bidders that follow a bidding system: the language, the engine, explanations, changes, the audit."""
