"""The pages about systems and of practice in a browser: unfolded, searched, compared, edited, drilled by keyboard."""

import pytest
from support.browser import expect

pytestmark = pytest.mark.slow

SMALL = "system: small\n1N    15-17 hcp, balanced\n1x    5+ x, 12+ hcp\nP\n"


def systems(visit, ready, **found):
    request = "&".join(f"{name}={value}" for name, value in found.items())
    return visit(f"systems.html#{request}", ready=ready)


def test_a_book_unfolds_with_figures(visit):
    page = systems(visit, ".tree details", tab="book", spec="system:sayc")
    page.wait_for_selector(".share")  # the figures have come
    page.locator("summary", has_text="1NT").first.press("Enter")
    expect(page.locator(".tree details[open] > .facts").first).to_contain_text("Nine in ten hold")
    assert page.locator(".tree details[open] > .facts code").count() == 2
    stayman = page.locator(".tree details[open] summary", has_text="Stayman").first
    stayman.click()
    expect(page.locator("#facts")).to_contain_text("2,000 random deals")


def test_a_search_finds_all_negative_doubles(visit):
    page = systems(visit, ".tree details", tab="book", spec="system:sayc")
    page.fill("#search", "all negative doubles")
    page.wait_for_selector(".found li")
    rows = page.locator(".found li")
    assert rows.count() >= 8
    for k in range(rows.count()):
        assert rows.nth(k).locator(".bid").first.inner_text() == "X"
        assert "negative" in rows.nth(k).inner_text()
    page.fill("#search", "no such thing")
    expect(page.locator("#tree")).to_contain_text("0 calls found")


def test_what_calls_show_unfolds_after_an_auction(visit):
    page = systems(visit, "#unfolded li", tab="auction", spec="system:sayc")
    page.click('#unfolded li button:has-text("1NT")')
    expect(page.locator("#unfolded")).to_contain_text("Stayman")
    page.fill("#word", "stayman")
    expect(page.locator("#unfolded li")).to_have_count(1)
    page.click("#unfolded p button >> nth=0")
    page.fill("#word", "")
    expect(page.locator("#unfolded")).to_contain_text("Opening bids")
    page.fill("#spec", "policy:champion")
    page.keyboard.press("Tab")
    expect(page.locator("#unfolded")).to_contain_text("measured on")


def test_two_systems_are_compared_and_their_boards_open_in_the_review(visit):
    page = systems(visit, ".beside", tab="compare", spec="system:sayc", other="system:two-over-one")
    assert page.locator(".beside tr.same").count() == 0
    page.uncheck("#differing")
    expect(page.locator(".beside tr.same").first).to_be_visible()
    page.set_viewport_size({"width": 360, "height": 850})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.set_viewport_size({"width": 1200, "height": 850})
    page.click("#play")
    page.wait_for_selector(".boards a")
    gain = page.locator(".boards .imps").first.inner_text()
    with page.context.expect_page() as opened:
        page.locator(".boards a").first.click()
    review = opened.value
    review.wait_for_selector("#review .headline .imps", timeout=120_000)
    assert review.inner_text("#review .headline .imps") == gain
    assert "sayc" in review.inner_text(".hand.north h3")


CHOSEN = "(() => { const e = document.activeElement; return e.value.slice(e.selectionStart, e.selectionEnd); })()"


def write(page, text):
    """Put a text into the editor at once; typing 70 kB takes a browser minutes."""
    page.evaluate(
        """(text) => { const area = document.getElementById("source"); area.value = text;
        area.dispatchEvent(new Event("input")); }""",
        text,
    )


def test_an_edit_is_checked_and_judged_again(visit):
    page = systems(visit, "#gutter:has-text('100')", tab="edit", spec="system:champion")
    text = page.input_value("#source")
    line = next(k for k, row in enumerate(text.splitlines(), 1) if row.startswith("1N "))
    wrong = text.replace("\n1N ", "\n1Z ", 1) + "2D 5+ Y\n"
    write(page, wrong)
    expect(page.locator("#findings .fault")).to_have_count(2)
    assert page.locator("#findings .fault").first.inner_text().startswith(f"Line {line}")
    page.locator("#findings .fault button").first.click()
    assert page.evaluate("document.activeElement.id") == "source"
    chosen = page.evaluate(CHOSEN)
    assert chosen.startswith("1Z")
    assert page.locator(".boards").count() == 0
    weak = "\n".join("1N    9-11 hcp, balanced" if row.startswith("1N ") else row for row in text.splitlines())
    write(page, weak + "\n")
    page.wait_for_selector("section[aria-label='The textbook exam']")
    assert "2,000 boards" in page.inner_text(".judged .headline")
    assert page.locator(".boards a").count() > 20
    first = page.inner_text(".judged .headline .imps")
    write(page, text)
    expect(page.locator(".judged")).to_contain_text("0 boards are bid otherwise")
    assert page.inner_text(".judged .headline .imps") != first


def test_a_draft_stays_in_the_tab_and_can_sit_at_the_table(visit):
    page = systems(visit, "#gutter:has-text('2')", tab="edit", spec="system:silent")
    write(page, SMALL)
    page.wait_for_selector(".boards, .judged .message")
    page.reload()
    page.wait_for_selector("#gutter:has-text('4')")
    assert page.input_value("#source") == SMALL
    page.click("#lend")
    expect(page.locator("#lent")).to_contain_text("system:~silent-edited")
    expect(page.locator("#verdict")).to_contain_text("The text is sound")


def test_tabs_go_by_arrows_and_the_address_keeps_them(visit):
    page = systems(visit, ".tree details", tab="book", spec="system:silent")
    page.focus("#tab-book")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#unfolded li")
    assert "tab=auction" in page.url
    assert page.get_attribute("#tab-auction", "aria-selected") == "true"
    page.reload()
    page.wait_for_selector("#unfolded li")


def test_a_drill_by_keyboard_and_what_went_wrong_comes_again(visit):
    page = visit("practice.html#topic=openings", ready="#topic:has(option)")
    page.select_option("#count", "5")
    page.focus("#start")
    page.keyboard.press("Enter")
    hands = []
    for k in range(5):
        page.wait_for_selector("#box button")
        expect(page.locator("#question")).to_contain_text(f"Question {k + 1} of 5")
        hands.append(page.inner_text("#question .suits"))
        page.keyboard.type("7n")
        page.wait_for_selector("#verdict .primary")
        assert "Not by the book" in page.inner_text("#verdict")
        page.keyboard.press("Enter")
    expect(page.locator("#summary h2")).to_contain_text("0 of 50 points in ")
    assert page.locator("#summary li").count() == 5
    page.click("text=Repeat these")
    page.wait_for_selector("#box button")
    assert page.inner_text("#question .suits") == hands[0]


@pytest.mark.parametrize("wanted", [False, True], ids=["hidden", "shown"])
def test_meanings_are_hidden_until_a_call_is_made_unless_wanted(visit, wanted):
    page = visit("practice.html#topic=openings", ready="#topic:has(option)")
    page.set_checked("#tell", wanted)
    page.click("#start")
    page.wait_for_selector("#box button")
    page.mouse.move(0, 0)
    before = page.inner_text("#detail")  # nothing, or what an earlier call shows: one may point at those
    page.hover('[data-call="1NT"]')
    assert (page.inner_text("#detail") != before) == wanted


def test_a_scorecard_is_added_up_against_the_clock(visit):
    page = visit("practice.html#topic=cards&spec=system:champion-strong", ready="#topic:has(option)")
    page.select_option("#count", "5")
    page.click("#start")
    page.wait_for_selector("#cards tbody tr")
    page.locator("#box button:not(:disabled)").first.click()
    page.wait_for_selector("#verdict li")  # the sums
    assert "second" in page.inner_text("#score")
    assert page.locator("#verdict li").count() == page.locator("#cards tbody tr").count()
