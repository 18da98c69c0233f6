"""Doors for other bridge programs: any bidder and card player behind BEN's HTTP interface and BBO's robot form."""
