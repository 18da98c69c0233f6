"""Think before calling: sample deals that fit the auction, and look ahead (``reason:SYSTEM``)."""
