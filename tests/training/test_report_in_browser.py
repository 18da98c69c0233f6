"""The report of a match in a browser, where one is installed: sort, filter, walk, by keyboard, on a phone, offline."""

import pytest
from support.browser import expect

from training.evaluation.duplicate import match as play_match
from training.evaluation.report import report

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def match():
    return play_match("system:sayc", "system:acol", 400, 1)


@pytest.fixture(scope="module")
def file(match, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "match.html"
    path.write_text(report(match, explain=False).page, encoding="utf-8")
    return path


@pytest.fixture
def visit(browser, file):
    opened = []

    def page(width=1200, dark=False, scripts=True, named=""):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, java_script_enabled=scripts, offline=True,
            color_scheme="dark" if dark else "light",
        )  # fmt: skip
        made = context.new_page()
        made.requests, made.faults = [], []
        made.on("request", lambda request: made.requests.append(request.url))
        made.on("pageerror", lambda error: made.faults.append(str(error)))
        made.on("console", lambda message: made.faults.append(message.text))
        made.goto(file.as_uri() + named)
        opened.append(made)
        return made

    yield page
    for made in opened:
        assert made.faults == []
        assert all(url.startswith("file:") for url in made.requests)
        made.context.close()


def shown(page):
    """Number and IMPs of the boards that are shown, in their order."""
    return page.evaluate("""() => [...document.querySelectorAll('.report-board:not([hidden])')]
        .map((at) => [Number(at.id.slice(6)), Number(at.dataset.imps)])""")


def opened(page):
    return page.evaluate("() => [...document.querySelectorAll('.report-board[open]')].map((at) => at.id)")


def test_boards_are_sorted_and_filtered(visit):
    page = visit()
    everything = shown(page)
    assert [abs(imps) for _, imps in everything] == sorted((abs(imps) for _, imps in everything), reverse=True)
    page.select_option('[name="sort"]', "gain")
    assert [imps for _, imps in shown(page)] == sorted((imps for _, imps in everything), reverse=True)
    page.select_option('[name="sort"]', "loss")
    assert [imps for _, imps in shown(page)] == sorted(imps for _, imps in everything)
    page.select_option('[name="sort"]', "number")
    assert shown(page) == sorted(everything)
    page.select_option('[name="side"]', "-1")
    assert shown(page) == sorted(board for board in everything if board[1] < 0)
    page.select_option('[name="side"]', "")
    page.select_option('[name="kind"]', "0")
    kinds = page.evaluate(
        "() => [...document.querySelectorAll('.report-board:not([hidden])')].map((at) => at.dataset.kind)"
    )
    assert 0 < len(kinds) < len(everything)
    assert set(kinds) == {"0"}
    assert page.inner_text("output") == f"{len(kinds)} boards"


def test_keys_walk_through_the_boards(visit):
    page = visit()
    order = [f"board-{number}" for number, _ in shown(page)]
    page.keyboard.press("ArrowRight")
    assert opened(page) == order[:1]
    page.keyboard.press("j")
    assert opened(page) == order[1:2]
    page.keyboard.press("k")
    page.click("text=next →")
    assert opened(page) == order[1:2]
    page.keyboard.press("Enter")  # the button has the focus no more: the board's line closes it
    assert opened(page) == []


def test_links_open_their_board(visit):
    page = visit()
    link = page.locator(".report-dearest a").first
    number = link.inner_text()
    page.select_option('[name="side"]', "0")  # hides it
    link.click()
    expect(page.locator(".report-board[open]")).to_have_id(f"board-{number}")  # the browser tells of a new hash later
    assert page.locator(f"#board-{number} .bridge-auction").count() == 2
    assert opened(visit(named=f"#board-{number}")) == [f"board-{number}"]


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_is_wide_enough(visit, dark):
    page = visit(width=360, dark=dark)
    page.evaluate("() => document.querySelectorAll('details').forEach((at) => { at.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_without_scripts_every_board_can_be_opened(visit):
    page = visit(scripts=False)
    assert not page.locator(".report-controls").is_visible()
    page.locator(".report-board summary").first.click()
    assert page.locator(".report-board").first.locator(".bridge-deal").is_visible()


@pytest.mark.parametrize("dark", [False, True])
def test_texts_stand_out_from_what_is_behind_them(visit, dark):
    page = visit(dark=dark)
    page.keyboard.press("ArrowRight")
    faint = page.evaluate(
        """() => {
        const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
        const light = (colour) => numbers(colour).slice(0, 3).map((c) => c / 255)
            .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
            .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
        const behind = (at) => {
            for (; at; at = at.parentElement) {
                const colour = getComputedStyle(at).backgroundColor;
                if ((numbers(colour)[3] ?? 1) === 1) return colour;
            }
            return 'rgb(255, 255, 255)';
        };
        const texts = [...document.querySelectorAll('header *, main > p, main > table *, .report-board[open] *')]
            .filter((at) => [...at.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()))
            .filter((at) => at.getClientRects().length);
        return texts.map((at) => {
            const [a, b] = [light(getComputedStyle(at).color), light(behind(at))];
            return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), at.className, at.textContent.slice(0, 30)];
        }).filter(([ratio]) => ratio < 4.5);
    }"""
    )
    assert faint == []
