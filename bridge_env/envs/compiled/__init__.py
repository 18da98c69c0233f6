"""The compiled core of the envs."""
