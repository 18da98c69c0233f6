"""A double-dummy solver of our own, compiled by numba: null-window search over tricks with a table of positions.

    solver ──► search ──► cashing, moves, transpositions ──► state

``search`` asks "does North-South take at least so many tricks?" and gives the cards on which the answer rests.
``transpositions`` keeps such answers for all positions that are alike in these cards, ``cashing`` answers without a
search where tricks can be counted, ``moves`` orders the cards to try, and ``state`` is the memory of one thread.
"""
