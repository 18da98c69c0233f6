"""``bridge-env fit``: estimators from solved deals, case bases, maps, networks from records."""

from __future__ import annotations

from typing import Any

from training.cli import belief, cases, estimator, maps, meaning, policy


def add_fit(subparsers: Any) -> None:
    """Add ``bridge-env fit`` with its targets."""
    fit = subparsers.add_parser(
        "fit", help="learn from solved deals or recorded auctions: estimators, cases, maps, policy"
    )
    targets = fit.add_subparsers(title="what", metavar="WHAT", required=True)
    estimator.add_estimators(targets)
    cases.add_cases(targets)
    maps.add_maps(targets)
    policy.add_policy(targets)
    belief.add_belief(targets)
    meaning.add_meanings(targets)
