"""Several people in a browser each, invited by a link: they bid and play, practise, and meet in a challenge."""

import re
import time

import pytest
from support.browser import expect

pytestmark = pytest.mark.slow

READY = "#actions:has(span)"


@pytest.fixture
def opened(visit):
    """Open a table on the host's page, and return the page of its key."""

    def open_one(kind, width=1200, **fields):
        page = visit("together.html", width=width, ready="#reach:not(:empty)")
        page.check(f"input[value={kind}]")
        for name, value in {"ns": "system:sayc", "ew": "pass", "control": "system:sayc", **fields}.items():
            page.fill(f"input[name={name}]", value)
        if kind == "play":
            page.select_option("select[name=cards]", "rule")
        page.click("#together button[type=submit]")
        page.wait_for_selector(READY)
        return page

    return open_one


def link_for(page, seat):
    page.click("#open-people")
    page.click(f"text=Invite {seat}")
    link = page.input_value(".offer input")
    page.keyboard.press("Escape")
    return re.sub(r"https?://[^/]+", "", link)


def no_wider(page, width=390):
    return page.evaluate("document.documentElement.scrollWidth") <= width


def go_on(pages, key="p"):
    """Whoever's turn it is calls by a key, or plays the first card that may be played."""
    until = time.monotonic() + 300
    while not any(page.locator("#review .headline").count() for page in pages):
        assert time.monotonic() < until, pages[0].inner_text("#actions")
        for page in pages:
            if page.locator(".calls button").count():
                page.keyboard.press(key)
            elif page.locator("[data-card]:not(:disabled)").count():
                page.locator("[data-card]:not(:disabled)").first.click(timeout=5000)
        pages[0].wait_for_timeout(100)


def test_two_people_bid_and_play_each_before_a_browser(visit, opened):
    south = opened("play", name="Anna", ns="pass")
    north = visit(link_for(south, "North"), width=390, ready=READY)
    expect(north.locator("#name")).to_be_focused()  # who comes is asked for a name
    north.keyboard.type("Bo")
    north.keyboard.press("Enter")
    expect(south.locator(".hand.north .who")).to_have_text("Bo")
    expect(north.locator(".hand.south .who")).to_have_text("Anna")
    assert south.locator(".hand.north .backs").count() == 1
    assert north.locator(".hand.south .backs").count() == 1
    assert no_wider(north)
    while not south.locator(".calls button").count():
        if north.locator(".calls button").count():
            north.keyboard.press("p")
        south.wait_for_timeout(100)
    south.focus('[data-call="7NT"]')
    south.keyboard.press("Enter")
    expect(north.locator("table.auction")).to_contain_text("7NT", timeout=5000)  # at once
    while not south.locator("[data-card]:not(:disabled)").count():
        if north.locator(".calls button").count():
            north.keyboard.press("p")
        south.wait_for_timeout(100)
    expect(north.locator(".hand.south .backs")).to_have_count(1)  # dummy does not see declarer's hand
    assert no_wider(north)
    go_on([south, north])
    for page in (south, north):
        page.wait_for_selector("#review .headline")
        assert page.locator("#review .tricks li").count() == 13
    assert no_wider(north)
    expect(north.locator("#review")).to_contain_text("The host deals the next board")
    again = visit(south.url, ready="#review .headline")  # a second tab at the same seat
    south.click("text=Next board")
    for page in (north, again):
        expect(page.locator(".about b")).to_have_text("Board 2", timeout=5000)
    north.reload()
    expect(north.locator(".hand.north .who")).to_have_text("you")
    expect(north.locator(".about b")).to_have_text("Board 2")


def test_a_bidder_replaces_a_person_whose_page_is_closed(visit, opened, served):
    south = opened("play", name="Anna", ns="pass")
    link = link_for(south, "North")
    north = visit(link, ready=READY)
    expect(south.locator("#news")).to_contain_text("sits North")
    north.close()
    expect(south.locator("#news")).to_contain_text(
        "has left North; pass goes on there until they come back", timeout=30_000
    )
    expect(south.locator(".hand.north .who")).to_have_text("pass")
    visit(link, ready=READY)
    expect(south.locator("#news")).to_contain_text("sits North")
    south.click("#open-people")
    south.click("text=New link for North")
    fresh = south.input_value(".offer input")
    assert link not in fresh
    old = visit(link, ready="body")
    assert "key in the address is missing or wrong" in old.inner_text("body")


def test_partners_practise_a_scenario_and_find_it_again(visit):
    south = visit("together.html", ready="#reach:not(:empty)")
    south.check("input[value=practice]")
    south.fill("input[name=name]", "Anna")
    south.fill("input[name=ew]", "pass")
    south.select_option("select[name=scenario]", label="1NT opener opposite a two-suiter")
    south.click("#together button[type=submit]")
    south.wait_for_selector(READY)
    north = visit(link_for(south, "North"), ready=READY)
    north.keyboard.type("Bo")
    north.keyboard.press("Enter")
    expect(south.locator(".about")).to_contain_text("a scenario")
    north.click('[data-call="1NT"]')  # North holds it, and deals
    expect(south.locator("table.auction")).to_contain_text("1NT")
    south.reload()
    expect(south.locator("table.auction")).to_contain_text("1NT")
    go_on([south, north])
    for page in (south, north):
        page.wait_for_selector("#review .headline")
        expect(page.locator("#review")).to_contain_text("North 1NT —")  # whose call each verdict judges
    south.click("text=Next board, seats changed")
    expect(north.locator(".about")).to_contain_text("South deals")
    expect(north.locator(".about b")).to_have_text("Board 2")


PASTED = """N:AKQ2.T98.J7.6543 T98.J7.6543.AKQ2 J7.6543.AKQ2.T98 6543.AKQ2.T98.J7
N:AQ7.K65.Q83.A742 KT92.873.K74.KJ5 J53.AQT.AJT65.Q3 864.J942.92.T986
"""


def test_a_challenge_compares_its_players(visit, opened):
    page = visit("together.html", ready="#reach:not(:empty)")
    page.check("input[value=challenge]")
    for name, value in {"ns": "system:sayc", "ew": "pass", "control": "system:sayc"}.items():
        page.fill(f"input[name={name}]", value)
    page.fill("textarea[name=pasted]", PASTED)
    page.click("#together button[type=submit]")
    page.wait_for_selector("#link input")
    expect(page.locator("#about")).to_contain_text("2 boards")
    link = page.input_value("#link input")
    path = re.sub(r"https?://[^/]+", "", link)
    players = [visit(path, width=390, ready="#link input") for _ in range(2)]
    for player, name in zip(players, ("Anna", "Bo"), strict=True):
        player.fill("#name", name)
        player.keyboard.press("Enter")
        player.wait_for_selector(READY)
        go_on([player])
        player.wait_for_selector("#results table")
        assert no_wider(player)
    anna, bo = players
    expect(anna.locator("#results section", has_text="All players").locator("tbody tr")).to_have_count(2)
    assert "50 %" in bo.inner_text("#results")  # both have passed
    expect(bo.locator("#results")).to_contain_text("v. par")
    anna.click("text=Next board")
    expect(anna.locator(".about b")).to_have_text("Board 2")
    go_on([anna])
    expect(anna.locator("#review")).to_contain_text("That was the last board")
    anna.goto(link.replace("localhost", "127.0.0.1"))
    anna.click("text=Go on where you were")
    anna.wait_for_selector("#results table")
