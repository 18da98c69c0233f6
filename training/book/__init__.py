"""Write the book of a bidder as notes for bridge players: what each call shows, its frequency and its worth.

Each folder uses those before it::

    measured  a system's points, the hands behind each call, what they show, what a treatment is worth
    written   all of it in chapters, as Markdown, BML and a page; what one system changes in another
    printed   what players carry: the convention card, what would surprise them, notes by auction
    network   the book of a network, which has no rules to print
"""
