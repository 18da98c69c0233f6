"""Changes to systems: made, tidied, and where they can be noticed."""
