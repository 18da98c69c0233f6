"""The other shipped systems against their books: hands with the call that each system's own style gives."""

from __future__ import annotations

import pytest

import agents
from training.evaluation import duplicate

# hand (spades first), calls so far from the dealer North on, the call
PRECISION = [
    ("AQ765.K4.K83.942", "", "1S"),
    ("AQ765.K4.AK3.942", "", "1C"),
    ("KJ7.A4.AQ83.K942", "", "1C"),  # seventeen, balanced: the strong club too
    ("KJ7.A4.KQ83.J942", "", "1NT"),
    ("KJ73.A4.QJ83.942", "", "1D"),
    ("A4.73.KJ3.KQ9842", "", "2C"),
    ("KJ73.AQ84.3.K942", "", "2D"),  # short diamonds
    ("KQJ976.83.T94.72", "", "2S"),
    ("83.72.KQJ976.T94", "", "3D"),  # two diamonds is something else
    ("8.72.KQJ9763.T94", "", "3D"),
    ("84.76.Q853.K9764", "1C P", "1D"),  # 0-7
    ("KQ843.A76.85.942", "1C P", "1S"),
    ("K43.A76.Q853.942", "1C P", "1NT"),
    ("K43.AJ6.QJ85.A92", "1C P", "2NT"),
    ("4.A76.85.KQ97642", "1C P", "2C"),
    ("AQ765.KJ.AK3.942", "1C P 1D P", "1S"),
    ("KJ7.A4.AQ83.K942", "1C P 1D P", "1NT"),
    ("KQ7.A4.AQ83.AQ94", "1C P 1D P", "2NT"),
    ("J843.Q764.853.42", "1C P 1D P 1N P", "Pass"),
    ("AQ4.KJ762.AK3.94", "1C P 1S P", "2S"),
    ("84.KQ762.A53.942", "1C 1S", "2H"),
    ("K84.Q762.J53.942", "1C 1S", "X"),
    ("84.9762.J53.9742", "1C 1S", "Pass"),
    ("843.K6.AQ853.K96", "1S P", "2D"),
    ("K843.6.A9853.K96", "1S P", "4S"),  # opposite a limited hand
    ("K84.65.A9853.976", "1S P", "2S"),
    ("AK84.65.AQ853.K6", "1S P", "2NT"),
    ("KQ843.65.A53.976", "1D P", "1S"),
    ("K4.65.K9853.A976", "2D P", "3C"),
    ("KQ843.A5.985.K76", "2D P", "4S"),
    ("AQ43.K5.985.K876", "2C P", "2D"),  # asks
    ("AQ43.K5.95.K8764", "2C P 2D P", "2S"),
    ("AQJ76.84.K93.742", "1C", "1S"),
    ("AQ74.K9843.K76.4", "1C", "X"),  # over a strong club: both majors
    ("K42.J843.7.97532", "1H 1S", "3H"),  # at once to our trumps' level
    ("K62.A84.K97.Q753", "1H 1S", "2S"),  # the strong raise
    ("AJ84.A4.K93.8742", "1H 2C", "X"),
]
ACOL = [
    ("KJ7.A4.K983.Q942", "", "1NT"),  # weak
    ("KJ7.A4.AQ83.K942", "", "1D"),  # seventeen
    ("AK73.QJ84.K83.94", "", "1NT"),
    ("AK73.QJ84.AK3.94", "", "1H"),  # four-card majors
    ("AK73.Q8.AKJ3.942", "", "1S"),
    ("AQ765.K4.K83.942", "", "1S"),
    ("4.KQ76.AQ874.K92", "", "1D"),  # the longer suit first
    ("KJ7.AQ.AQ83.KJ92", "", "2NT"),
    ("AK4.AKQ763.AK.J9", "", "2C"),
    ("83.KQJ976.T94.72", "", "2H"),
    ("KJ73.84.QJ43.K42", "1N P", "Pass"),  # ten opposite twelve to fourteen
    ("KJ73.84.QJ43.A42", "1N P", "2C"),
    ("K74.A83.KQ43.942", "1N P", "2NT"),
    ("K74.A83.KQ43.Q42", "1N P", "3NT"),
    ("9.T87653.843.942", "1N P", "2D"),
    ("KJ974.A83.KQ4.92", "1N P 2H P 2S P", "3NT"),
    ("843.76.A853.K964", "1H P", "1NT"),
    ("A43.Q762.8532.94", "1H P", "2H"),
    ("AQ3.Q762.K532.94", "1H P", "3H"),
    ("AQ3.KQ62.K532.94", "1H P", "4H"),
    ("KQ6.J4.A853.J964", "1H P", "2NT"),
    ("K6.J4.AQ853.J964", "1H P", "2D"),
    ("A72.86.853.KQ964", "1S P", "2C"),
    ("KQ3.KQ84.A84.Q92", "1H P 1S P", "1NT"),  # fifteen or sixteen
    ("KQ3.AKJ4.A84.Q92", "1H P 2C P", "3NT"),
    ("AKQ.AQ4.AK83.KJ9", "2C P 2D P", "3NT"),
    ("Q74.8543.K42.J76", "1C X P", "1H"),
    ("AQJ976.84.K93.K2", "1C", "2S"),  # an intermediate jump
    ("AQJ976.84.T93.42", "1C", "1S"),
    ("KQ74.3.AJ84.KJ76", "1H", "X"),
    ("AQ74.KQ3.AJ84.J6", "1N", "X"),  # penalty
    ("K5.98432.743.952", "1N X", "2H"),
    ("A642.Q4.KJ73.852", "1C 1H", "1S"),
    ("A42.QJ64.KJ73.85", "1C 1S", "X"),
    ("K62.A843.7.97532", "1H 1S", "3H"),
    ("KJ3.AQ4.9873.K42", "1S P P", "1NT"),  # protection
    ("5.AQ43.K873.QJ42", "1S P P", "X"),
]
PREEMPTS = [
    ("KQ765.K8432.J8.4", "", "1S"),  # nine, and ten cards in two suits
    ("AQ765.K43.T832.9", "", "Pass"),
    ("KJ7.A4.AQ83.J942", "", "1NT"),  # 14-16
    ("KJ7.A4.AQ83.K942", "", "1D"),
    ("QT9764.83.J94.72", "", "2S"),
    ("83.QJT976.A94.72", "", "2H"),
    ("83.72.KJT976.T94", "", "2D"),
    ("KQJ97.832.T954.7", "", "2S"),  # five will do at this vulnerability
    ("8.72.QJ97632.T94", "", "3D"),
    ("84.72.Q43.KJ9762", "", "3C"),
    ("KQJ9732.8.Q94.72", "", "4S"),
    ("8.K72.QJ987632.4", "", "4D"),
    ("K843.62.T9532.94", "1S P", "Pass"),
    ("K843.62.A9532.94", "1S P", "3S"),  # weak
    ("K8432.62.A953.94", "1S P", "4S"),
    ("KJ43.62.AQ53.K94", "1S P", "2NT"),  # a raise with values
    ("AQ765.K43.832.92", "1S P 2N P", "3S"),
    ("AQJ76.K4.AQ32.92", "1S P 2N P", "4S"),
    ("K84.J62.Q9532.94", "1S P", "2S"),
    ("AKJ765.K4.832.92", "1S P 2S P", "3S"),  # nine trumps
    ("84.KQ62.Q9532.94", "1C P", "1H"),
    ("K74.Q4.A9532.K94", "1N P", "3NT"),
    ("K42.Q43.A953.972", "1N P", "2NT"),
    ("K8432.A2.QJ4.A97", "2S P", "4S"),
    ("K843.2.Q9543.972", "2S P", "4S"),
    ("K84.92.Q9543.972", "2S P", "3S"),
    ("A4.K92.Q9543.K72", "2S P", "Pass"),
    ("QJ976.84.K93.742", "1C", "1S"),  # six
    ("QT9764.84.K3.742", "1C", "2S"),  # a weak jump
    ("84.K93.742.AQJ76", "1D", "2C"),
    ("4.3.QJ974.KJ9753", "1H", "2NT"),
    ("KQ74.3.AJ84.9764", "1H", "X"),  # ten
    ("KQ984.QT842.4.92", "1N", "2C"),  # Landy
    ("K973.8.Q9742.974", "1D 1S P", "3S"),
    ("Q43.J8432.98.974", "1H X", "4H"),
    ("Q43.J842.985.974", "1H X", "3H"),
    ("KQ94.84.A983.974", "1H 2C", "X"),
    ("AQ9.A4.K9832.974", "3H", "X"),
]
POLISH = [
    ("KJ73.A4.K83.Q942", "", "1C"),  # a weak no trump
    ("KJ7.A4.AQ83.K942", "", "1NT"),
    ("AK5.A4.K83.KQ942", "", "1C"),  # nineteen
    ("A5.43.AK3.KQJ942", "", "1C"),  # clubs and extras
    ("A5.43.K83.KQJ942", "", "2C"),
    ("AQ84.4.K83.KJ942", "", "2C"),
    ("A4.73.KQJ83.K942", "", "1D"),
    ("AQ765.K4.K83.942", "", "1S"),
    ("AQJ65.K4.AK3.942", "", "1S"),
    ("AQJ65.KJ.AK3.942", "", "1C"),
    ("83.KQJ976.T94.72", "", "2H"),
    ("KJ7.AQ.AQ83.KQ92", "", "2NT"),
    ("8.72.KQJ9763.T94", "", "3D"),
    ("8432.K72.Q976.94", "1C P", "1D"),
    ("Q83.K72.K976.Q94", "1C P", "1D"),  # ten, and no major
    ("Q843.K72.K97.Q94", "1C P", "1S"),
    ("Q3.K742.K972.Q94", "1C P", "1H"),
    ("Q3.K72.AQJ72.Q94", "1C P", "2D"),
    ("Q83.K72.AQ72.J94", "1C P", "2NT"),
    ("Q83.K72.AQ72.K94", "1C P", "3NT"),
    ("KJ73.A4.K83.Q942", "1C P 1D P", "1S"),
    ("AK5.A4.K83.KQ942", "1C P 1D P", "1NT"),
    ("AQJ65.KJ.AK3.942", "1C P 1D P", "2S"),
    ("A5.43.AK3.KQJ942", "1C P 1D P", "2C"),
    ("KJ3.A4.K843.Q942", "1C P 1H P", "1NT"),
    ("KJ3.A874.K83.Q92", "1C P 1H P", "2H"),
    ("AK5.A4.K83.KQ942", "1C P 1H P", "2NT"),
    ("843.72.KQ976.942", "1C P 1D P 1H P", "2D"),
    ("843.76.A853.K964", "1H P", "1NT"),
    ("A43.Q762.8532.94", "1H P", "2H"),
    ("AQ3.KQ62.K532.94", "1H P", "2NT"),
    ("KQ3.86.AJ532.K94", "1H P", "2D"),
    ("AQJ76.84.K93.742", "1C", "1S"),
    ("84.AQJ976.K93.42", "1N", "2D"),  # one major
    ("KQ94.AJ976.93.42", "1N", "2C"),  # both
    ("84.Q93.T932.Q742", "1N 2D P", "2H"),
    ("Q742.8.KT732.Q94", "1H 1S P", "3S"),
    ("5.AQ43.K873.QJ42", "1S P P", "X"),
    ("A84.Q93.KJ32.942", "1C 1S", "1NT"),
]
TWO_OVER_ONE = [
    ("AQ765.K4.K83.942", "", "1S"),
    ("KJ7.A4.AQ83.K942", "", "1NT"),
    ("KJ7.AQ76.A5.KJ92", "", "1C"),
    ("KJ73.A4.K83.Q942", "", "1C"),
    ("KJ73.A4.KQ83.942", "", "1D"),
    ("KJ7.AQ.AQ83.KJ92", "", "2NT"),
    ("AK4.AKQ763.AK.J9", "", "2C"),
    ("83.KQJ976.T94.72", "", "2H"),
    ("KQJ97632.8.T94.7", "", "4S"),
    ("843.K6.AQ853.K96", "1S P", "2D"),  # game forcing
    ("843.K6.A9853.K96", "1S P", "1NT"),  # forcing
    ("84.AQ763.A85.K96", "1S P", "2H"),
    ("AQ3.KQ62.K532.94", "1H P", "2NT"),  # Jacoby
    ("AQ3.Q762.K532.94", "1H P", "3H"),
    ("K84.65.A9853.976", "1S P", "2S"),
    ("AQ765.K4.K832.94", "1S P 1N P", "2D"),
    ("AQ765.K43.K83.94", "1S P 1N P", "2D"),  # on three
    ("AQJ976.K4.83.942", "1S P 1N P", "2S"),
    ("8.K62.A9853.J964", "1S P 1N P 2C P", "Pass"),
    ("843.K6.A9853.K96", "1S P 1N P 2C P", "3S"),
    ("84.K96.A9853.J96", "1S P 1N P 2H P", "2S"),
    ("AQ765.4.K832.K42", "1S P 2D P", "3D"),
    ("AQJ976.K4.83.942", "1S P 2D P", "2S"),
    ("KQ6.K3.AQ86.T942", "1D P 1S P", "1NT"),
    ("84.76.AQ853.K964", "1D P", "2D"),  # inverted
    ("84.76.K9853.Q964", "1D P", "3D"),
    ("KJ73.84.Q843.K42", "1N P", "2C"),
    ("K4.AJ873.843.942", "1N P", "2D"),
    ("K4.AJ873.K43.942", "1N P 2D P 2H P", "3NT"),
    ("AQJ76.84.K93.742", "1C", "1S"),
    ("AQ74.K984.K762.4", "1C", "X"),
    ("4.3.QJ974.KQ9753", "1H", "2NT"),
    ("A764.Q43.J73.852", "1C 1H", "X"),
    ("62.AJ43.KJ73.852", "1D 1S", "X"),
    ("K62.A843.7.97532", "1H 1S", "3H"),  # weak
    ("K62.A84.K97.Q753", "1H 1S", "2S"),
    ("5.AQ43.K873.QJ42", "1S P P", "X"),
    ("Q742.82.KT73.K94", "1H X 2H", "2S"),
    ("J42.832.KQ732.A9", "1S X 2S", "3D"),
    ("42.J98.KT73.A954", "1S X 2S", "X"),  # responsive
]
BOOKS = {
    "acol": ACOL,
    "polish": POLISH,
    "precision": PRECISION,
    "preempts": PREEMPTS,
    "two-over-one": TWO_OVER_ONE,
}


@pytest.mark.parametrize(
    ("system", "hand", "auction", "call"),
    [(name, *row) for name, rows in BOOKS.items() for row in rows],
)
def test_textbook_hand(system, hand, auction, call):
    assert agents.call(f"system:{system}", hand=hand, dealer="N", auction=auction.split()) == call


@pytest.mark.parametrize("system", BOOKS)
def test_a_sound_pair(system):
    """It makes the most of silent opponents, and holds its own against Standard American."""
    assert duplicate.match(f"system:{system}", "pass", 4000).mean_imps >= 3.3
    assert duplicate.match(f"system:{system}", "system:sayc", 4000).mean_imps >= -0.4  # which doubles weak no trumps
