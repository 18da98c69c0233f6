"""What the project does is what it did: compares digests. ``python -m tests.golden`` makes them anew."""

import pytest

from tests.golden import digests
from tests.golden.kinds import KINDS, cases

STORED = digests.read()


def named(slow):
    return [pytest.param(kind, name, id=f"{kind}-{name}") for kind, name in cases(slow)]


def check(kind, name):
    found = digests.differences(STORED.get(kind, {}).get(name, {}), KINDS[kind].CASES[name]())
    text = "\n".join(found[:20])
    assert not found, (
        f"{kind}/{name}: {len(found)} items differ\n{text}\nIf that is meant: python -m tests.golden {kind}/{name}"
    )


@pytest.mark.parametrize(("kind", "name"), named(slow=False))
def test_behaviour_is_as_before(kind, name):
    check(kind, name)


@pytest.mark.weekly
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), named(slow=True))
def test_slow_behaviour_is_as_before(kind, name):
    check(kind, name)


def test_every_digest_has_its_case():
    stored = {(kind, name) for kind in STORED for name in STORED[kind]}
    assert stored == {*cases(slow=False), *cases(slow=True)}
    assert digests.PATH.stat().st_size < 100_000
