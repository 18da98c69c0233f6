"""The table in a browser, where one is installed: by keyboard, on a phone, offline, what it is sent, and history."""

from datetime import datetime, timedelta

import pytest
from support.browser import bid_out, bid_seven_notrump, expect
from support.table import board, mistake

from bridge_table.learning.database import Database

pytestmark = pytest.mark.slow


def wait_for_turn(page):
    page.wait_for_selector(".calls button, #actions .primary, #review .headline")


def quickly(page):
    """Others call and play at once, and by rules of thumb."""
    page.click("#settings")
    page.select_option('select[name="cards"]', "rule")
    page.select_option('select[name="pace"]', "0")
    page.fill('input[name="ns"]', "system:sayc")
    page.fill('input[name="ew"]', "system:sayc")
    page.click('#setup button[value="deal"]')
    expect(page.locator(".about b")).to_have_text("Board 2")
    wait_for_turn(page)


def drop(page, name, text):
    """Drop a file on the page, as a mouse does."""
    page.evaluate(
        """([name, text]) => { const carried = new DataTransfer(); carried.items.add(new File([text], name));
        document.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true })); }""",
        [name, text],
    )


def test_a_board_is_bid_and_played_by_keyboard(visit):
    page = visit()
    quickly(page)
    page.keyboard.type("7n")
    bid_out(page)
    page.focus("#actions .primary")
    page.keyboard.press("Enter")
    for _ in range(26):
        page.wait_for_selector("[data-card]:not(:disabled), #review .headline")
        if page.locator("#review .headline").count():
            break
        card = page.get_attribute("[data-card]:not(:disabled)", "data-card")
        page.keyboard.type(card.lower())
        page.wait_for_selector(f'[data-card="{card}"]', state="detached")
    page.wait_for_selector("#review .headline")
    assert "7NT" in page.inner_text("#review h2")
    assert page.locator("#review .tricks li").count() == 13
    status, left = page.locator("#actions [role=status]"), page.locator("#seats .ranks:not([aria-label=none])")
    suits = left.count()
    steps = [("Shift+ArrowRight", 52, 4, 0), ("ArrowLeft", 51, 3, 1), ("Shift+ArrowLeft", 0, 0, suits)]
    for keys, cards, trick, held in steps:
        page.keyboard.press(keys)
        expect(status).to_have_text(f"{cards} of 52 cards")
        assert page.locator(".trick svg").count() == trick
        assert left.count() == held


def test_the_focus_stays_where_it_was_after_a_call(visit):
    page = visit()
    inside = "(() => { const at = document.activeElement.closest('#box, #actions, #review'); return at && at.id; })()"
    page.focus('[data-call="7C"]')
    page.keyboard.press("Enter")
    expect(page.locator("table.auction")).to_contain_text("7♣")
    wait_for_turn(page)
    assert page.evaluate(inside) in ("box", "actions")
    if page.locator(".calls button").count():
        page.keyboard.press("ArrowDown")  # from the box to its first call
        assert page.evaluate("document.activeElement.dataset.call") == "Pass"
        page.keyboard.press("Enter")
    page.wait_for_selector("#actions .primary")
    assert page.evaluate(inside) == "actions"
    page.focus("text=Show the result")
    page.keyboard.press("Enter")
    page.wait_for_selector("#review .headline")
    page.wait_for_function(f"{inside} === 'review'")


def test_an_address_shares_board_auction_and_seat(visit):
    page = visit()
    page.keyboard.press("b")
    expect(page.locator(".about")).to_contain_text("Board 2")
    page.wait_for_selector(".calls button")
    page.keyboard.type("7n")
    bid_out(page)
    page.click("text=Show the result")
    hand, auction = page.inner_text(".hand.south .suits"), page.inner_text("table.auction tbody")
    page.click("text=Edit")
    page.wait_for_url("**/editor.html#deal=*")
    other = visit()
    other.click("#settings")
    other.fill("#paste", page.url)
    other.click("#take")
    expect(other.locator("#actions")).to_contain_text("Play the hand")
    assert other.inner_text(".hand.south .suits") == hand
    assert other.inner_text("table.auction tbody") == auction
    expect(other.locator(".about")).to_contain_text("Board 2")
    assert other.locator(".hand.north .backs").count() == 1
    other.click("text=Take back")
    other.wait_for_selector(".calls button")


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
    expect(page.locator("#taken")).to_contain_text("system:~odd: choose it for a side")
    page.fill('input[name="ew"]', "system:~odd")
    page.fill("#paste", "N:AKQ2.T98.J7.A543 J97.AQ2.KQ93.K82 T864.J543.A52.Q6 53.K76.T864.JT97")
    page.click("#take")
    expect(page.locator("#taken")).to_contain_text("1 board taken")
    page.select_option('select[name="dealer"]', "E")
    page.click('#setup button[value="deal"]')
    expect(page.locator("table.auction")).to_contain_text("7NT")


PBN = """[Board "{0}"]
[Dealer "S"]
[Vulnerable "None"]
[Deal "N:AKQ2.T98.J7.A543 J97.AQ2.KQ93.K82 T864.J543.A52.Q6 53.K76.T864.JT97"]

"""


def test_dropped_boards_are_read_and_faults_name_their_line(visit):
    page = visit()
    drop(page, "two.pbn", PBN.format(1) + PBN.format(2).replace("AKQ2.T98", "AKQ2.T99").replace("J97.AQ2", "J97.AA2"))
    expect(page.locator("#taken")).to_contain_text("1 board taken. Left out or mended: line 9:")
    page.click('#setup button[value="deal"]')
    expect(page.locator(".hand.south .suits")).to_contain_text("10 8 6 4")
    drop(page, "broken.pbn", '[Board "1"]\n[Dealer "N"]\n[Deal "N:AK Q J T"]\n')
    expect(page.locator("#taken")).to_contain_text("line 3")


def test_a_table_in_two_tabs_catches_up(visit):
    one = visit()
    quickly(one)
    other = visit(one.url[one.url.index("#") :])
    assert one.inner_text(".hand.south .suits") == other.inner_text(".hand.south .suits")
    one.keyboard.type("7n")
    expect(one.locator("table.auction")).to_contain_text("7NT")
    other.keyboard.type("7s")
    expect(other.locator("table.auction")).to_contain_text("7NT")
    assert "moved on" in other.inner_text("#message") or "not for you" in other.inner_text("#message")


def test_a_reload_keeps_table_settings_and_boards(visit):
    page = visit()
    page.click("#settings")
    page.fill('input[name="ns"]', "system:sayc")
    page.check('input[name="people"][value="N"]')
    page.uncheck('input[name="people"][value="S"]')
    page.fill("#paste", PBN.format(1) + PBN.format(2))
    page.click("#take")
    expect(page.locator("#taken")).to_contain_text("2 boards taken")
    page.click('#setup button[value="deal"]')
    expect(page.locator(".hand.north .suits")).to_contain_text("A K Q 2")
    page.reload()
    expect(page.locator(".hand.north .suits")).to_contain_text("A K Q 2")
    page.click("#settings")
    assert page.input_value('input[name="ns"]') == "system:sayc"
    assert page.is_checked('input[name="people"][value="N"]')
    assert not page.is_checked('input[name="people"][value="S"]')
    assert page.input_value('select[name="source"]') == "stack"
    page.click('#setup button[value="deal"]')
    expect(page.locator(".about b")).to_have_text("Board 2")


def test_a_board_in_play_is_not_dropped_unasked(visit):
    page = visit()
    quickly(page)
    page.keyboard.type("7n")
    expect(page.locator("table.auction")).to_contain_text("7NT")
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.keyboard.press("b")
    page.wait_for_timeout(300)
    assert asked == ["This board is not over. Deal another one?"]
    expect(page.locator(".about b")).to_have_text("Board 2")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#new")
    expect(page.locator(".about b")).to_have_text("Board 3")


def test_a_still_mouse_does_not_hide_what_the_others_show(visit):
    page = visit()
    quickly(page)
    page.hover('[data-call="Pass"]')
    expect(page.locator("#detail b")).to_have_text("Pass")
    page.click('[data-call="Pass"]')
    wait_for_turn(page)
    page.wait_for_timeout(500)
    assert ":" in page.inner_text("#detail b")  # West: Pass; of a call in the box there is no name
    page.hover('[data-call="7NT"], #actions .primary')


def test_card_and_systems_are_of_the_tables_own_system(visit):
    page = visit()
    quickly(page)
    page.click("#card summary")
    expect(page.locator("#boxes")).to_contain_text("sayc, a system")
    expect(page.locator("#boxes")).to_contain_text("Stayman")
    page.keyboard.press("p")  # bidding goes on beside it
    expect(page.locator("table.auction")).to_contain_text("Pass")
    page.click("#card summary")
    expect(page.locator("#boxes")).to_be_hidden()
    page.click("#system")
    page.wait_for_url("**/systems.html#*spec=system%3Asayc*")


def test_the_first_visit_is_welcomed_once(visit):
    page = visit(welcomed=False)
    page.click("#begin")
    expect(page.locator("#welcome")).to_be_hidden()
    page.click("#settings")
    page.select_option('select[name="pace"]', "0")  # other settings come to it
    page.reload()
    page.wait_for_selector(".calls button")
    expect(page.locator("#welcome")).to_be_hidden()
    assert page.input_value('select[name="pace"]') == "0"


def test_a_lost_server_is_reported_and_nothing_breaks(visit, served):
    page = visit()
    hand = page.inner_text(".hand.south .suits")
    served.end()
    page.keyboard.press("p")
    expect(page.locator("#message")).to_contain_text("The server does not answer")
    assert page.inner_text(".hand.south .suits") == hand
    page.click("text=Try again")
    expect(page.locator("#box")).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator("#message")).to_contain_text("The server does not answer")


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
