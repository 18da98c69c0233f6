"""Interfaces to other trainers: Stable-Baselines3, RLlib and PufferLib."""
