"""The look of the table in a browser: cards, nothing below the fold, and the page on which a board is put together."""

import pytest
from support.browser import expect

pytestmark = pytest.mark.slow

DEAL = "N:AQJ84.K73.62.KJ5 T97.A2.KQ983.Q82 K632.QJ54.A5.A76 5.T986.JT74.T943"
SOUTH = DEAL.split()[2]
SIZES = {"desk": (1280, 800), "phone": (390, 844)}
OPENED = "#deal=" + DEAL.replace(" ", "+") + "&board=1&dealer=W&vulnerable=EW&calls={calls}&seat={seat}"


def at_board(visit, calls="Pass+1S+Pass", seat="S", ready=".calls button"):
    """The board, with these calls made; others play at once."""
    page = visit()
    page.click("#settings")
    page.select_option('select[name="cards"]', "rule")
    page.select_option('select[name="pace"]', "0")
    page.click('#setup button[value="close"]')
    page.evaluate("(address) => { location.hash = address; }", OPENED.format(calls=calls, seat=seat))
    expect(page.locator(".about")).to_contain_text("a shared board")
    page.wait_for_selector(ready)
    return page


def at_each_size(page):
    """The page in windows of some sizes, one after the other; only styles know the size."""
    for name, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        yield name


def in_sight(page, selector):
    """Whether all that is found lies within the window, and is not scrolled to."""
    assert page.evaluate("[scrollX, scrollY]") == [0, 0]
    wide, high = page.viewport_size["width"], page.viewport_size["height"]
    boxes = [one.bounding_box() for one in page.locator(selector).all()]
    assert boxes, selector
    return all(
        box and box["x"] >= -1 and box["y"] >= -1 and box["x"] + box["width"] <= wide + 1
        and box["y"] + box["height"] <= high + 1 for box in boxes
    )  # fmt: skip


def no_scroll(page):
    return page.evaluate(
        "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"
    )


def box(page, selector):
    """Where an element lies, once it is there: the page may be drawing it anew."""
    script = """(selector) => {
        const at = document.querySelector(selector)?.getBoundingClientRect();
        return at?.width ? at.toJSON() : null;
    }"""
    return page.wait_for_function(script, arg=selector).json_value()


def no_overlap(page, one, other):
    a, b = (box(page, selector) for selector in (one, other))
    beside = a["x"] + a["width"] <= b["x"] + 1 or b["x"] + b["width"] <= a["x"] + 1
    return beside or a["y"] + a["height"] <= b["y"] + 1 or b["y"] + b["height"] <= a["y"] + 1


def test_dummy_lies_in_columns_and_the_trick_on_its_players_sides(visit):
    page = at_board(visit, calls="Pass+1S+Pass+4S+Pass+Pass+Pass", seat="N", ready="#actions .primary")
    page.click("#actions .primary")
    page.wait_for_selector("[data-card]:not(:disabled)")
    expect(page.locator(".hand.south .column")).to_have_count(4)
    assert page.locator(".hand.south .column").nth(0).locator("svg").count() == 4
    page.wait_for_selector(".trick .left svg")  # East leads
    for name in at_each_size(page):
        columns = [box.bounding_box()["x"] for box in page.locator(".hand.south .column").all()]
        assert columns == sorted(columns), name
        north, south = (page.locator(f".hand.{seat}").bounding_box() for seat in ("north", "south"))
        assert south["y"] < north["y"], name  # the seat of the person is below
        led, middle = (page.locator(part).bounding_box() for part in (".trick .left", ".trick"))
        assert led["x"] + led["width"] / 2 < middle["x"] + middle["width"] / 2, name


def test_bidding_needs_no_scrolling(visit):
    page = at_board(visit)
    everything = ".hand .plate, .hand.south svg, #auction table, #box button, #actions button, #detail"
    for name in at_each_size(page):
        assert no_scroll(page), name
        assert in_sight(page, everything), name
        assert no_overlap(page, "#box", "#info"), name
        assert no_overlap(page, "#auction", ".hand.south"), name
    page.click("button:text-is('Idea')")
    page.wait_for_selector("#hint h3")
    for name in at_each_size(page):
        assert in_sight(page, "#hint h3, #hint .lines, #hint tbody tr:first-child, #box button"), name
        assert no_scroll(page), name
    for name in at_each_size(page):
        page.hover('[data-call="2NT"]')
        expect(page.locator("#detail")).to_contain_text("2NT")
        assert in_sight(page, "#detail"), name
    page.keyboard.type("4s")
    expect(page.locator("table.auction")).to_contain_text("4")
    page.wait_for_selector("#actions .primary, .calls button")
    for name in at_each_size(page):
        assert in_sight(page, "#actions button"), name


@pytest.mark.parametrize(("width", "height"), [(1366, 625), (390, 844)])
def test_a_long_auction_is_seen_whole_in_a_low_window(visit, width, height):
    rounds = "Pass+1S+Pass+2C+X+Pass+2D+Pass+Pass+2S+Pass+Pass+3D+Pass+Pass+3S+Pass+4C+Pass+4D+Pass+4H+Pass"
    page = at_board(visit, calls=rounds, seat="NS", ready="#cover button, .calls button")
    if page.locator("#cover button").is_visible():
        page.click("#cover button")
    page.wait_for_load_state("networkidle")  # what calls show is drawn by then
    page.set_viewport_size({"width": width, "height": height})
    assert box(page, "#auction")["height"] >= box(page, "#auction table")["height"]
    assert no_overlap(page, "#auction", ".hand.bottom")
    assert no_overlap(page, "#auction", ".hand.top")
    assert no_overlap(page, "#box", ".hand.bottom .fan")


@pytest.mark.parametrize("seat", ["S", "N", "E"])
def test_the_play_needs_no_scrolling(visit, seat):
    """For dummy's partner, for declarer and for a defender, who sees dummy at a side."""
    page = at_board(visit, calls="Pass+1S+Pass+4S+Pass+Pass+Pass", seat=seat, ready="#actions .primary")
    for name in at_each_size(page):
        assert in_sight(page, "#actions button"), name
    page.click("#actions .primary")
    page.wait_for_selector("[data-card]:not(:disabled)")
    if seat == "E":
        page.click("[data-card]:not(:disabled)")
        page.wait_for_selector(".hand.south .column")
        page.wait_for_selector("[data-card]:not(:disabled)")
    small = """() => [...document.querySelectorAll('[data-card]')].filter((one) =>
        one.offsetWidth < 24 || one.offsetHeight < 24).length"""
    for name in at_each_size(page):
        assert no_scroll(page), name
        assert in_sight(page, ".hand .plate, .hand svg, .trick svg, #actions button, #auction, #detail"), name
        assert page.evaluate(small) == 0, name
    page.keyboard.press("i")
    page.wait_for_selector("#hint h3")
    for name in at_each_size(page):
        assert in_sight(page, "#hint h3, #hint .lines"), name
    card = page.locator("[data-card]:not(:disabled)").first.get_attribute("data-card")
    page.locator("[data-card]:not(:disabled)").first.click()
    expect(page.locator(f'[data-card="{card}"]')).to_have_count(0)  # not their number: next may be as full a hand


def test_a_tap_chooses_a_call_with_an_outline_and_a_second_makes_it(browser, served):
    page = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page.set_default_timeout(120_000)
    page.goto(served.address + OPENED.format(calls="Pass+1S+Pass", seat="S"))
    page.wait_for_selector(".calls button")
    page.tap('[data-call="2NT"]')
    chosen = page.locator('[data-call="2NT"].chosen')
    expect(chosen).to_have_count(1)
    style = "(one) => [getComputedStyle(one).outlineStyle, getComputedStyle(one).outlineWidth]"
    assert chosen.evaluate(style) == ["solid", "3px"]
    assert page.locator("table.auction td button").count() == 3
    page.tap('[data-call="2NT"]')
    expect(page.locator("table.auction td button")).not_to_have_count(3)
    page.close()


def give(page, cards, seat):
    for card in cards:
        page.click(f'#pack [data-card="{card}"]')
    page.click(f'[data-place="{seat}"]')


def test_a_board_is_put_together_by_clicks_and_bid(visit):
    page = visit("editor.html", ready="#box button")
    held = [suit + rank for suit, ranks in zip("SHDC", SOUTH.split("."), strict=True) for rank in ranks]
    give(page, held[:7], "S")
    give(page, held[7:], "S")
    assert page.locator(".hand.south [data-card]").count() == 13
    page.click('[data-place="fill"]')
    assert page.locator("#pack [data-card]").count() == 0
    page.fill("#number", "7")
    page.keyboard.press("Tab")
    expect(page.locator("#dealer")).to_have_value("S")
    expect(page.locator("#vulnerable")).to_have_value("Both")
    page.select_option("#dealer", "E")
    page.select_option("#vulnerable", "NS")
    page.click('[data-call="1C"]')
    expect(page.locator("#auction table")).to_contain_text("1")
    expect(page.locator('[data-call="1C"]')).to_be_disabled()
    page.reload()  # the address keeps it
    page.wait_for_selector("#box button")
    assert page.locator(".hand.south [data-card]").count() == 13
    page.click("#open")
    page.wait_for_selector("body[data-phase=bidding] .calls button")
    expect(page.locator(".about")).to_contain_text("Board 7")
    expect(page.locator(".about")).to_contain_text("East deals")
    assert page.locator(".hand.south .fan svg").count() == 13
    assert "K 6 3 2" in page.locator(".hand.south .suits").text_content()
    page.keyboard.type("7n")
    expect(page.locator("table.auction")).to_contain_text("7NT")


def test_a_wrong_board_is_refused_before_anything_is_lost(visit):
    page = visit("editor.html", ready="#box button")
    give(page, ["SA", "SK"], "N")
    page.click("#open")
    expect(page.locator("#message")).to_contain_text("hand 'AK...' has 2 cards, not 13")
    assert page.locator(".hand.north [data-card]").count() == 2
    assert "editor.html" in page.url
    page.click("summary")
    page.fill("#paste", DEAL.replace("AQJ84", "AQJ87"))  # the seven of spades is East's too
    page.click("#read")
    expect(page.locator("#message")).to_contain_text("two hands")
    assert page.locator(".hand.north [data-card]").count() == 2
    page.click('[data-place="fill"]')
    expect(page.locator("#message")).to_be_hidden()
    give_back = page.locator(".hand.west [data-card]").first
    give_back.click()
    page.click('[data-place="N"]')
    expect(page.locator("#message")).to_contain_text("North would hold more than thirteen cards.")


def test_a_board_comes_from_a_text_and_leaves_as_others(visit, tmp_path):
    page = visit("editor.html", ready="#box button")
    page.click("summary")
    page.fill("#paste", DEAL)
    page.click("#read")
    expect(page.locator("#taken")).to_contain_text("1 board read.")
    with page.expect_download() as found:
        page.click('[data-form="pbn"]')
    found.value.save_as(tmp_path / "board.pbn")
    assert DEAL in (tmp_path / "board.pbn").read_text()
    page.click('[data-form="link"]')
    link = page.input_value(".offer input")
    page.click('[data-place="clear"]')
    page.set_input_files("#file", tmp_path / "board.pbn")
    expect(page.locator(".hand.south [data-card]")).to_have_count(13)
    page.click('[data-place="clear"]')
    page.fill("#paste", link)
    page.click("#read")
    expect(page.locator(".hand.south [data-card]")).to_have_count(13)


def test_cards_are_given_by_keyboard_and_the_focus_stays(visit):
    page = visit("editor.html", ready="#box button")
    page.focus('[data-card="HQ"]')
    page.keyboard.press("Enter")
    assert page.get_attribute('[data-card="HQ"]', "aria-pressed") == "true"
    page.focus('[data-place="W"]')
    page.keyboard.press("Enter")
    assert page.locator(".hand.west [data-card]").count() == 1
    assert page.evaluate("document.activeElement.dataset.place") == "W"
    page.focus('[data-call="1S"]')
    page.keyboard.press("Enter")
    expect(page.locator("#auction .back-one")).to_be_visible()
    expect(page.locator("#box:focus-within")).to_have_count(1)
