"""Run folders, processes, locks and the Ray cluster."""
