"""The page in a browser, where one is installed: by keyboard alone, on a phone, offline, and what it is sent."""

from __future__ import annotations

import os
import re
import shutil
import threading

import pytest

pytest.importorskip("starlette", reason="the extra 'table' is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="the extra 'table' is not installed")

from support.web import TOKEN, cards_of, dealt  # noqa: E402

from training.web.app import make_app  # noqa: E402
from training.web.dealing import random_deal  # noqa: E402
from training.web.serving import LOCAL, listen  # noqa: E402

SEED = 3
_FOUND = [os.environ.get("CHROMIUM"), *map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))]
CHROMIUM = next(filter(None, _FOUND), None)  # else the one that playwright installed, if it did

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as play:
        try:
            found = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no chromium here: {str(error).splitlines()[0]}")
        yield found
        found.close()


@pytest.fixture
def address():
    listening = listen(LOCAL, 0)
    port = listening.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(make_app(TOKEN, seed=SEED, port=port), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://{LOCAL}:{port}/{TOKEN}/"
    server.should_exit = True
    thread.join(20)
    listening.close()


@pytest.fixture
def visit(browser, address):
    opened = []

    def page(width=1200, dark=False):
        made = browser.new_page(viewport={"width": width, "height": 850}, color_scheme="dark" if dark else "light")
        made.set_default_timeout(60_000)
        made.asked, made.told, made.faults = [], [], []
        made.on("request", lambda request: made.asked.append(request.url))
        made.on("response", lambda response: made.told.append(response))  # noqa: PLW0108 - playwright marks it
        made.on("pageerror", lambda error: made.faults.append(str(error)))
        made.on("console", lambda message: made.faults.append(message.text) if _is_fault(message) else None)
        made.route(lambda url: not url.startswith(address), lambda route: route.abort())
        made.goto(address)
        made.wait_for_selector(".calls button")
        opened.append(made)
        return made

    yield page
    for made in opened:
        assert made.faults == []
        assert all(url.startswith((address, "blob:")) for url in made.asked)
        made.close()


def _is_fault(message):
    """Answers that refuse something are told in the console too, and are no faults."""
    return message.type == "error" and "status of 4" not in message.text


def expect(locator):
    return playwright.expect(locator)


def wait_for_turn(page):
    page.wait_for_selector(".calls button, #actions .primary, #review .headline")


def bid_out(page, key="p"):
    while not page.locator("#actions .primary, #review .headline").count():
        if page.locator(".calls button").count():
            page.keyboard.press(key)
        page.wait_for_timeout(150)


def test_a_board_by_keyboard_alone(visit):
    page = visit()
    page.keyboard.press("7")
    page.keyboard.press("n")
    expect(page.locator("table.auction")).to_contain_text("7NT")
    bid_out(page)
    for _ in range(40):
        if page.evaluate("document.activeElement.textContent") == "Show the result":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#review .headline")
    assert "7NT" in page.inner_text("#review h2")
    assert "Where did it go wrong?" in page.inner_text("#review")
    assert re.search(r"IMPs a board over 1 board", page.inner_text("#session"))


def test_calls_tell_what_they_show_and_hints_come(visit):
    page = visit()
    page.hover('[data-call="7S"]')
    expect(page.locator("#detail")).to_contain_text("7♠")
    page.keyboard.press("i")
    page.wait_for_selector("#hint table")
    assert "Idea" in page.inner_text("#hint")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_phone_is_wide_enough(visit, dark):
    page = visit(width=360, dark=dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    bid_out(page)
    if page.locator("#actions .primary").count():
        page.click("text=Show the result")
    page.wait_for_selector("#review .headline")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_an_address_shares_board_auction_and_seat(visit):
    page = visit()
    page.keyboard.press("b")
    expect(page.locator(".about")).to_contain_text("Board 2")
    page.wait_for_selector(".calls button")
    page.keyboard.press("7")
    page.keyboard.press("n")
    bid_out(page)
    page.click("text=Show the result")
    page.click("text=Share")
    shared = page.input_value(".offer input")
    assert "all four hands" in page.inner_text(".offer")
    hand, auction = page.inner_text(".hand.south .suits"), page.inner_text("table.auction tbody")
    other = visit()
    other.click("#settings")
    other.fill("#paste", shared)
    other.click("#take")
    expect(other.locator("#actions")).to_contain_text("Play the hand")
    assert other.inner_text(".hand.south .suits") == hand
    assert other.inner_text("table.auction tbody") == auction
    expect(other.locator(".about")).to_contain_text("Board 2")
    assert other.locator(".hand.north .backs").count() == 1
    other.click("text=Take back")
    other.wait_for_selector(".calls button")


def test_a_system_unfolds(visit):
    page = visit()
    page.click("#system")
    page.fill('#explorer input[name="spec"]', "system:sayc")
    page.keyboard.press("Tab")
    page.click('#unfolded li button:has-text("1NT")')
    expect(page.locator("#unfolded")).to_contain_text("Stayman")
    page.fill('#explorer input[name="search"]', "stayman")
    expect(page.locator("#unfolded li")).to_have_count(1)
    page.click("#unfolded p button >> nth=0")
    page.fill('#explorer input[name="search"]', "")
    expect(page.locator("#unfolded")).to_contain_text("Opening bids")


def test_everything_has_a_name_for_screen_readers(visit):
    page = visit()
    nameless = """() => [...document.querySelectorAll('button, input, select, textarea, [role=img], section')]
        .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label'))).length"""
    assert page.evaluate(nameless) == 0
    small = """() => [...document.querySelectorAll('button')].filter((b) => b.offsetWidth &&
        (b.offsetWidth < 24 || b.offsetHeight < 24)).length"""
    assert page.evaluate(small) == 0
    assert "seven" not in page.get_attribute('[data-call="7S"]', "aria-label")
    assert page.get_attribute('[data-call="7S"]', "aria-label") == "7 spades"


def test_no_other_hand_reaches_the_browser_before_the_end(visit):
    page = visit()
    page.keyboard.press("i")
    page.wait_for_selector("#hint h3")
    bid_out(page)
    if page.locator("#review .headline").count():
        pytest.skip("the board was passed out at once")
    held = dealt(random_deal(SEED, 1).owner)
    secret = held["N"] | held["E"] | held["W"]
    sent = set()
    for response in page.told:
        text = response.text() if "api/" in response.url else ""
        for hand in re.findall(r"[2-9TJQKA]*\.[2-9TJQKA]*\.[2-9TJQKA]*\.[2-9TJQKA]*", text):
            sent |= cards_of(hand)
        sent |= set(re.findall(r'"([SHDC][2-9TJQKA])"', text))
    assert held["S"] <= sent
    assert not sent & secret


def test_two_people_do_not_see_each_others_hands(visit):
    page = visit()
    page.click("#settings")
    page.check('input[name="people"][value="N"]')
    page.click('#setup button[value="deal"]')
    page.wait_for_selector("#cover button")
    assert "'s hand" in page.inner_text("#cover")
    page.keyboard.press("Enter")
    page.wait_for_selector("#cover", state="hidden")
    wait_for_turn(page)


def test_a_system_and_boards_are_taken_from_files(visit, tmp_path):
    page = visit()
    (tmp_path / "odd.bidding").write_text("system: odd\n7N\n")
    (tmp_path / "bad.pbn").write_text('[Board "1"]\n[Deal "N:AK"]\n')
    page.click("#settings")
    page.set_input_files("#file", tmp_path / "bad.pbn")
    expect(page.locator("#taken")).to_contain_text("line 2")
    page.set_input_files("#file", tmp_path / "odd.bidding")
    expect(page.locator("#taken")).to_contain_text("system:~odd")
    page.fill("#paste", "N:AKQ2.T98.J7.A543 J97.AQ2.KQ93.K82 T864.J543.A52.Q6 53.K76.T864.JT97")
    page.click("#take")
    expect(page.locator("#taken")).to_contain_text("1 board taken")
    page.select_option('select[name="dealer"]', "E")
    page.click('#setup button[value="deal"]')
    expect(page.locator("table.auction")).to_contain_text("7NT")
