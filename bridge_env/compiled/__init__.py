"""Compiled code: the cache of numba's functions, intrinsics, records of arrays."""
