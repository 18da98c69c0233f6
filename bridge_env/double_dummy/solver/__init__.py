"""A double-dummy solver compiled by numba: null-window search over tricks with a table of positions.

    solve ──► search ──► quick_tricks, moves, transpositions ──► state

``search`` answers whether North-South takes at least so many tricks, and on which cards the answer rests: the relevant
cards. ``transpositions`` stores such answers for all positions that are alike in these cards, ``quick_tricks`` answers
without a search where tricks can be counted, ``moves`` orders the cards to try, and ``state`` is the memory of one
thread. ``solve`` runs searches on several threads.
"""
