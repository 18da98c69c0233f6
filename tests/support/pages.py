"""The pages of a small system."""

BOOK = """\
# tiny

Whose it is.

## Convention card

- **1NT** *is no note* 15-17 HCP

## Notes by auction

Words that no bidder reads.

- **Opening** **1NT** 15-17 HCP, balanced (7.7%) · **1M** 12+ HCP: 6+ M / 5+ M (light, forcing) (10%: 12-19 HCP, 0-2♦)
- **1NT-?** **2♣** 8+ HCP; 4♥ or 4♠; *Stayman, forcing, artificial* (25%) · **Pass** else (75%) — **(1x)-?** **1y** 5+ y

## Where no note has a call

- **Game** *when partner has spoken, the last bid is at level 0-3:* **game in M** 8+ M together (never seen)
- **Then** *when ♠ agreed:* **Pass** else (1.2%)

## Who must speak

- *partner waits*: **cheapest NT** any other hand
"""
