"""Write the book of a bidder as notes for bridge players: what each call shows, its frequency and its worth.

A book is measured on random deals (``system_book.make_book``, ``network_book.make_network_book``), becomes one JSON
model (``model``), and is rendered from that as Markdown or HTML (``render``).
"""
