"""What axe-core finds on the pages, and how much a page loads."""

import pytest
from support.browser import bid_seven_notrump

pytestmark = pytest.mark.slow

PAGES = {
    "table": ("", ".calls button"),
    "book": ("systems.html#tab=book&spec=system:preempts", ".share"),
    "auction": ("systems.html#tab=auction&spec=system:sayc", "#unfolded li"),
    "compare": ("systems.html#tab=compare&spec=system:silent&other=system:doubler", ".beside"),
    "edit": ("systems.html#tab=edit&spec=system:silent", "#gutter:has-text('1')"),
    "practice": ("practice.html", "#topic:has(option)"),
    "history": ("history.html", "#kinds table"),
    "editor": ("editor.html", "#box button"),
    "together": ("together.html", "#reach:not(:empty)"),
}


def faults(page, rules=None):
    """Serious and critical ones, with where they are; of ``rules`` alone, if they are named."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    found = axe.Axe().run(page, options={"runOnly": rules} if rules else None).response["violations"]
    return [
        (fault["id"], [node["html"][:120] for node in fault["nodes"]][:3])
        for fault in found if fault["impact"] in ("serious", "critical")
    ]  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_small_fits_a_phone_and_axe_finds_no_serious_fault(visit, name):
    path, ready = PAGES[name]
    page = visit(path, ready=ready)
    page.emulate_media(color_scheme="light")
    sizes = {found.url.rpartition("/")[2]: len(found.body()) for found in page.responses if "/api/" not in found.url}
    assert len(sizes) > 4
    assert sum(sizes.values()) < 300_000, sizes
    if name == "book":
        page.locator("summary", has_text="1NT").first.click()
        page.wait_for_selector(".facts code")
    assert faults(page) == []
    page.emulate_media(color_scheme="dark")
    assert faults(page, ["color-contrast"]) == []  # nothing else depends on the scheme
    page.set_viewport_size({"width": 360, "height": 850})
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, scheme


def test_axe_finds_no_serious_fault_in_dialogs_the_review_and_a_drill(visit):
    page = visit()
    page.click("#settings")
    assert faults(page) == []
    page.keyboard.press("Escape")
    bid_seven_notrump(page)
    page.click("#actions .primary")
    page.wait_for_selector("[data-card]:not(:disabled)")
    assert faults(page) == []
    page.click("text=End the play")
    page.wait_for_selector("#review .headline")
    assert faults(page) == []
    page = visit("practice.html#topic=openings", ready="#topic:has(option)")
    page.click("#start")
    page.wait_for_selector("#box button")
    assert faults(page) == []
    page.keyboard.type("7n")
    page.wait_for_selector("#verdict .primary")
    assert faults(page) == []


def test_axe_finds_no_serious_fault_at_a_seat_and_in_a_challenge(visit):
    page = visit("together.html", ready="#reach:not(:empty)")
    page.click("[type=submit]")
    page.wait_for_selector("#name:focus")  # asked for a name
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.wait_for_selector(".calls button")
    assert faults(page) == []
    page.click("#open-people")
    page.click("text=Invite North")
    page.wait_for_selector(".offer input")
    assert faults(page) == []
    page = visit("together.html", ready="#reach:not(:empty)")
    page.check("[value=challenge]")
    page.fill("[name=boards]", "2")
    page.click("[type=submit]")
    page.wait_for_selector("#link input")
    assert faults(page) == []
    page.fill("#name", "Anna")
    page.keyboard.press("Enter")
    page.wait_for_selector(".calls button")
    while not page.locator("#results table").count():
        if page.locator(".calls button").count():
            page.keyboard.press("p")
        page.wait_for_timeout(150)
    assert faults(page) == []
