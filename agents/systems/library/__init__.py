"""The systems of the package, and conventions."""
