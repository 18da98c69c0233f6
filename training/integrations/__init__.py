"""Interfaces to other trainers: Stable-Baselines3 and RLlib."""
