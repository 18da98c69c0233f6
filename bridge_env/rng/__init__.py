"""Random streams by counter, in numpy and in compiled code."""
