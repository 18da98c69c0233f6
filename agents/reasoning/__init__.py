"""An agent that thinks: it samples deals that fit the auction and looks ahead before it calls (``reason:SYSTEM``)."""
