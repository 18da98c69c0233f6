"""Golden behaviour: digests of what the project did at one commit, to notice what a change changes.

``python -m tests.golden`` makes them anew and prints which differ.
"""
