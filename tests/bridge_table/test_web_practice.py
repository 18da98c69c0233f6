"""Drills through the server: positions on their topic, the system's calls as answers, and the wrong ones again."""

import pytest
from support.table import visitor_of

from agents.systems.explain.explain import symbol_text
from agents.text_api import call as call_of
from bridge_env.hands.deals import parse_hand
from bridge_env.hands.features import hand_features
from bridge_env.rules.calls import parse_call
from bridge_table.learning.topics import TOPICS, Decision
from training.exam.positions import textbook

SPEC = "system:two-over-one"


@pytest.fixture(scope="module")
def visitor():
    return visitor_of(seed=5)


def questions(visitor, topic, count=6, **fields):
    found = visitor.post("drills", spec=SPEC, topic=topic, count=count, **fields)
    return found["drill"], [
        visitor.get(f"drills/{found['drill']}/question", number=k) for k in range(found["questions"])
    ]


def answer(visitor, drill, number, call, status=200):
    return visitor.post(f"drills/{drill}/answer", status, number=number, call=call)


def moment(words, hand, made):
    calls = [parse_call(word) for word in words.split()]
    return Decision.of(calls, hand_features(parse_hand(hand)[None])[0], parse_call(made))


@pytest.mark.parametrize(
    ("topic", "words", "hand", "made", "belongs"),
    [
        ("openings", "P P", "AKJ84.K73.Q62.95", "1S", True),
        ("responses", "1S P", "84.KJ5.AQ73.J962", "2D", True),
        ("raises", "1H P", "Q84.KJ62.A3.9852", "3H", True),
        ("1nt", "1NT P 2C P", "AQ5.K73.KJ62.A84", "2D", True),
        ("strong", "2C P", "Q84.J62.K3.98532", "2D", True),
        ("opener", "1D P 1S P", "84.KJ5.AQJ73.AJ6", "1NT", True),
        ("responder", "1D P 1S P 1NT P", "KQ842.KJ5.73.962", "2S", True),
        ("slam", "1S P 3S P 4NT P", "84.KJ52.AQ73.K62", "5D", True),
        ("overcalls", "1D", "AQJ84.K73.62.952", "1S", True),
        ("takeout", "1S", "4.KJ73.AQ62.K952", "X", True),
        ("takeout", "1S X P", "964.QJ73.862.K52", "2H", True),
        ("doubles", "1D 1S", "64.QJ73.K62.A852", "X", True),
        ("interference", "1D 1S", "64.QJ73.K62.A852", "X", True),
        ("competing", "1D 1S 2D", "Q64.J73.62.A9852", "2S", True),
        ("their-notrump", "1NT", "AQJ843.K73.6.952", "2S", True),
        ("preempts", "3D", "AQJ84.K73.6.A952", "3S", True),
        ("their-doubles", "1H X", "Q84.KJ62.A3.9852", "2NT", True),
        ("openings", "1C", "AKJ84.K73.Q62.95", "1S", False),
        ("responses", "1S X", "84.KJ5.AQ73.J962", "XX", False),
        ("raises", "1H P", "Q842.62.A32.9852", "1S", False),
        ("overcalls", "1D", "AJ42.KQ73.2.A952", "X", False),
        ("overcalls", "1D P 1H", "8742.Q73.62.J952", "P", False),
        ("takeout", "1NT", "4.KJ73.AQ62.KQ52", "X", False),
        ("doubles", "1D X", "64.QJ73.K62.A852", "1H", False),
        ("slam", "1S P 2S P", "AQJ84.K73.A2.K95", "4S", False),
        ("preempts", "2C", "4.KJ7.962.KQJ852", "3C", False),
    ],
)  # fmt: skip
def test_which_decisions_belong_to_a_topic(topic, words, hand, made, belongs):
    assert parse_hand(hand).sum() == 13
    assert TOPICS[topic](moment(words, hand, made)) == belongs


def test_every_topic_is_listed_and_those_of_the_exam_have_its_names(visitor):
    found = visitor.get("topics")["topics"]
    assert [topic["name"] for topic in found] == list(TOPICS)
    assert set(TOPICS) <= set(textbook().titles)


@pytest.mark.slow
@pytest.mark.parametrize("topic", ["openings", "takeout"])
def test_questions_are_of_the_topic_and_the_systems_own_call_is_right(visitor, topic):
    drill, request = questions(visitor, topic, 4)
    assert len(request) == 4
    passes = 0
    for k, one in enumerate(request):
        words = [c["call"] for c in one["calls"]]
        system = call_of(SPEC, one["hand"], one["board"]["dealer"], one["board"]["vulnerability"], words)
        assert system in one["legal"]
        assert TOPICS[topic](moment(" ".join(words), one["hand"], system))
        found = answer(visitor, drill, k, system)
        assert (found["points"], found["accepted"][system]) == (10, 10)
        assert all(points == 5 for call, points in found["accepted"].items() if call != system)
        assert len(found["reason"]) > 5
        passes += system == "Pass"
    assert passes <= len(request) // 4
    visitor.post(f"drills/{drill}/again", 409)


def test_a_question_holds_no_answer_and_no_other_hand(visitor):
    _, request = questions(visitor, "openings", 3)
    assert set(request[0]) == {"hand", "seat", "board", "calls", "legal", "shows"}
    assert len({one["hand"] for one in request}) == 3


def test_the_sums_of_a_scorecard_name_the_systems_call(visitor):
    spec = "system:champion-strong"
    found = visitor.post("drills", spec=spec, topic="cards", count=2)
    for k in range(found["questions"]):
        one = visitor.get(f"drills/{found['drill']}/question", number=k)
        calls, board = [made["call"] for made in one["calls"]], one["board"]
        system = call_of(spec, one["hand"], board["dealer"], board["vulnerability"], calls)
        rows = {row["call"]: row for row in one["cards"]["rows"]}
        assert {"start", "adds", "takes"} <= set(rows[system])
        assert one["cards"]["when"]
        reply = answer(visitor, found["drill"], k, system)
        assert reply["points"] == 10
        totals = [int(text.split(" (")[0].split()[-1]) for text in reply["sums"]]
        assert len(totals) == len(rows)
        assert totals == sorted(totals, reverse=True)
        assert reply["sums"][0].startswith(symbol_text(parse_call(system)))
    refusal = visitor.post("drills", 400, spec=SPEC, topic="cards")
    assert "system:champion." in refusal["error"]


def test_questions_go_from_easy_to_hard_and_a_close_second_call_is_reasonable(visitor):
    drill, _ = questions(visitor, "any", 12)
    found = [answer(visitor, drill, k, "7NT") for k in range(12)]
    seconds = [k for k, one in enumerate(found) if 5 in one["accepted"].values()]
    assert seconds
    assert seconds == list(range(seconds[0], 12))  # those that are close come last
    close = next(call for call, points in found[seconds[0]]["accepted"].items() if points == 5)
    assert answer(visitor, drill, seconds[0], close)["points"] == 5
    assert len({one["title"] for one in found}) > 2


def test_the_seed_chooses_the_questions(visitor):
    hands = [[q["hand"] for q in questions(visitor, "openings", 1, seed=seed)[1]] for seed in (1, 1, 2)]
    assert hands[0] == hands[1] != hands[2]


def test_the_first_answer_counts_and_reasons_name_the_suits(visitor):
    drill, _ = questions(visitor, "raises", 4)
    found = answer(visitor, drill, 0, "7NT")
    assert found["points"] == 0
    right = next(iter(found["accepted"]))
    again = answer(visitor, drill, 0, right)
    assert again["points"] == 10
    assert visitor.post(f"drills/{drill}/again")["questions"] == 1
    answer(visitor, drill, 0, "9C", 400)
    answer(visitor, drill, 4, "1C", 400)
    reasons = [answer(visitor, drill, k, "7NT")["reason"].rpartition(" (")[0] for k in range(4)]
    assert all(" M" not in reason for reason in reasons), reasons
    assert any("♥" in reason or "♠" in reason for reason in reasons)


def test_what_went_wrong_comes_again(visitor):
    drill, request = questions(visitor, "overcalls", 3)
    for k in (0, 2):
        answer(visitor, drill, k, "7NT")
    again = visitor.post(f"drills/{drill}/again")
    assert again["questions"] == 2
    first, second = (visitor.get(f"drills/{again['drill']}/question", number=k) for k in range(2))
    assert (first, second) == (request[0], request[2])
    reply = answer(visitor, again["drill"], 1, "7NT")
    assert reply["accepted"] == answer(visitor, drill, 2, "7NT")["accepted"]
    visitor.get("drills/nothing/question", 404, number=0)


@pytest.mark.slow
def test_the_textbook_can_be_practised(visitor):
    drill, request = questions(visitor, "slam", source="textbook")
    book = [p for p in textbook().everybody if p.area == "slam"]
    assert [one["hand"] for one in request] == [p.hand for p in book]
    best = max(book[0].answers, key=lambda a: a[1])
    assert book[0].reason in answer(visitor, drill, 0, "7NT")["reason"]
    assert best[1] == 10
