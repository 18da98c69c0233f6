"""The page of history in a browser: a board of an earlier session, its review and its mistake."""

from datetime import datetime, timedelta

import pytest
from support.browser import bid_seven_notrump, expect
from support.table import board, mistake

from bridge_table.learning.database import Database

pytestmark = pytest.mark.slow


def tomorrow():
    return datetime.now().astimezone() + timedelta(days=1)


def test_boards_are_chosen_by_bidder_and_by_costly_decisions(visit, served):
    memory = Database()
    saved = [(1, "system:sayc", []), (2, "system:acol", [mistake()]), (3, "system:sayc", [mistake()])]
    for number, spec, mistakes in saved:
        fields = {"north_south": spec, "east_west": "pass", "imps": number, "result": f"{number}S S ="}
        memory.save(board(number, **fields), {}, mistakes)
    served.restart(memory)
    page = visit("history.html", ready=".boards a")
    boards, average = page.locator(".boards a"), page.locator("#average")
    expect(average).to_contain_text("+2.00 ± 0.58 IMPs a board over 3 boards")
    page.select_option("#bidder", "system:sayc")
    expect(boards).to_have_count(2)
    expect(average).to_contain_text("+2.00 ± 1.00 IMPs a board over 2 boards")
    page.check("#costly")
    expect(boards).to_have_count(1)
    expect(boards).to_contain_text("3♠")
    page.select_option("#bidder", "")
    expect(boards).to_have_count(2)


def test_yesterdays_board_opens_and_its_mistake_is_drilled(visit, served, tmp_path):
    served.restart(Database(tmp_path / "table.sqlite"))
    page = visit()
    bid_seven_notrump(page)
    page.click("text=Show the result")
    page.wait_for_selector("#review .headline .imps")
    result, gain = page.inner_text("#review h2"), page.inner_text("#review .headline .imps")
    auction = page.inner_text("table.auction")
    page.click("nav >> text=History")
    expect(page.locator("#sessions")).to_contain_text(", now")
    served.restart(Database(tmp_path / "table.sqlite", tomorrow))

    page = visit("history.html", ready=".boards a")
    expect(page.locator(".boards a")).to_have_count(1)
    expect(page.locator("#sessions tbody tr")).to_have_count(1)
    assert ", now" not in page.inner_text("#sessions")
    assert "over 1 board" in page.inner_text("#average")
    assert page.locator(".boards .imps").inner_text() == gain
    page.click(".boards a")
    page.wait_for_selector("#review .headline .imps")
    assert page.inner_text("#review h2") == result
    assert page.inner_text("table.auction") == auction
    assert "not counted" in page.inner_text("#review .headline")
    assert page.inner_text("#session") == ""  # it was counted in its own session

    page.click("nav >> text=Practice")
    expect(page.locator("#mine")).to_have_text("My mistakes that are due (1)")
    page.click("#mine")
    page.wait_for_selector("#box button")
    page.keyboard.type("7n")
    expect(page.locator("#verdict")).to_contain_text("your 7NT lost")
    expect(page.locator("#verdict")).to_contain_text("It comes again on")
    page.keyboard.press("Enter")
    expect(page.locator("#mine")).to_contain_text("the next is due on")
    expect(page.locator("#mine")).to_be_disabled()
