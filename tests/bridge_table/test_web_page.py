"""The page's files: small, from nowhere else, readable in light and dark, and of one piece."""

import copy
import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from support.page import Page

pytest.importorskip("starlette")

from bridge_table import pages

STATIC = Path(str(files("bridge_table") / "static"))
SCRIPTS = sorted(STATIC.glob("*.js"))
STYLES = sorted(STATIC.glob("*.css"))
STYLE = (STATIC / "style.css").read_text()
PAGES = {name: pages.page_html(name) for name in sorted(pages.PAGES)}


def scripts_of(page):
    """The modules that a page loads, with those that they load themselves."""
    found = set(re.findall(r'<script type="module" src="([^"]+)"', page))
    waiting = list(found)
    while waiting:
        new = set(re.findall(r'from "\./([^"]+)"', (STATIC / waiting.pop()).read_text())) - found
        found |= new
        waiting += new
    return {STATIC / name for name in found}


def test_the_page_is_light_and_loads_nothing_from_elsewhere():
    assert sum(path.stat().st_size for path in STATIC.iterdir()) < 300_000
    for text in PAGES.values():
        page = Page()
        page.feed(text)
        for address in page.loads:
            assert address.startswith("#") or address in ("./", *PAGES) or (STATIC / address).is_file(), address
    for path in (*SCRIPTS, *STYLES):
        text = path.read_text().replace('"http://www.w3.org/2000/svg"', "")  # a name, which nothing loads
        assert not re.search(r"https?://|url\(|@import|//cdn", text), path
        for module in re.findall(r'from "([^"]+)"', text):
            assert (STATIC / module).is_file(), (path, module)


def test_nothing_is_put_into_the_page_as_html():
    for path in SCRIPTS:
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", path.read_text()), path


def test_scripts_use_what_their_page_has():
    used_somewhere = set()
    for page, html in PAGES.items():
        ids = set(re.findall(r'id="([^"]+)"', html))
        used_somewhere |= scripts_of(html)
        for path in scripts_of(html):
            text = path.read_text()
            used = set(re.findall(r'\bat\("([^"]+)"\)', text)) | set(re.findall(r'getElementById\("([^"]+)"\)', text))
            assert used <= ids, (page, path)
    assert used_somewhere == set(SCRIPTS)


@pytest.fixture
def drawn(tmp_path):
    """Run lines of JavaScript beside the page's scripts, and return the JSON that they print."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    for path in (*SCRIPTS, Path(__file__).parent.parent / "support" / "dom.mjs"):
        shutil.copy(path, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')

    def run(lines):
        (tmp_path / "test.mjs").write_text('import { all, heard, place } from "./dom.mjs";\n' + lines)
        found = subprocess.run(["node", "test.mjs"], cwd=tmp_path, check=True, capture_output=True, text=True)
        return json.loads(found.stdout)

    return run


def test_screen_readers_hear_the_suits(drawn):
    found = drawn("""
        import { callMark, coloured, element } from "./words.js";
        import { suits } from "./hands.js";
        const examples = [coloured("11-18 HCP, 4-6♠, 0-2♥"), callMark("2C"), callMark("3NT")];
        const row = all(suits("AT..432."), "li")[0];
        console.log(JSON.stringify([...examples.map((parts) => heard(element("p", {}, parts))), heard(row)]));
    """)
    assert found == ["11-18 HCP, 4-6spades, 0-2hearts", "2clubs", "3NT", "ace of spades, ten of spades"]


@pytest.mark.parametrize("in_columns", [False, True], ids=["row", "columns"])
def test_cards_are_drawn_and_heard(drawn, in_columns):
    """Pictures are silent: buttons say their cards; where none can be played, the hand is heard as text."""
    found = drawn(f"""
        import {{ pictures }} from "./hands.js";
        import {{ element }} from "./words.js";
        const text = (one) => all(one, "text").map((part) => part.children.join(""));
        const still = element("div", {{}}, pictures("AT..432.", {json.dumps(in_columns)}, null, null));
        const played = [];
        const held = pictures("AT..432.", {json.dumps(in_columns)}, new Set(["D3"]), (card) => played.push(card));
        const buttons = all(held, "button");
        buttons.find((one) => !("disabled" in one.attributes)).listeners.click();
        console.log(JSON.stringify([heard(still), text(still), buttons.map(heard), played,
            all(still, "svg").map((one) => one.attributes.class)]));
    """)
    heard_still, ranks, buttons, played, kinds = found
    assert heard_still == "ace of spades, ten of spadesnone4 of diamonds, 3 of diamonds, 2 of diamondsnone"
    assert ranks == ["A", "10", "4", "3", "2"]
    assert buttons == ["ace of spades", "ten of spades", "4 of diamonds", "3 of diamonds", "2 of diamonds"]
    assert played == ["D3"]
    assert kinds == ["card face s"] * 2 + ["card face d"] * 3


def test_a_deal_moves_between_pack_and_hands(drawn):
    found = drawn("""
        import { cardsAt, dealOf, dealText, emptyDeal, filled, moved } from "./pack.js";
        const some = moved(emptyDeal(), ["SA", "DT", "C2"], "E");
        const whole = filled(some);
        const counts = ["N", "E", "S", "W", null].map((place) => cardsAt(whole, place).length);
        console.log(JSON.stringify([dealText(some), counts, dealText(dealOf(dealText(whole))) === dealText(whole),
            cardsAt(whole, "E").filter((card) => ["SA", "DT", "C2"].includes(card)).length,
            moved(whole, cardsAt(whole, "N"), "E")]));
    """)
    assert found == ["N:... A..T.2 ... ...", [13, 13, 13, 13, 0], True, 3, None]


def test_a_step_shows_the_trick_and_who_won_the_ones_before(drawn):
    """North declares: East wins the first trick, South the second; the third is claimed."""
    found = drawn("""
        import { afterCards } from "./steps.js";
        const cards = [["E", "C2"], ["S", "C3"], ["W", "C4"], ["N", "C5"], ["E", "D2"], ["S", "D3"], ["W", "D4"],
            ["N", "D5"], ["S", "H2"]].map(([seat, card]) => ({ seat, card }));
        const hands = { N: "A..5.5", E: "..2.2", S: ".2.3.3", W: "..4.4" };
        const state = { hands, phase: "over", play: { cards, declarer: "N", dummy: "S", won: 12, lost: 1 } };
        console.log(JSON.stringify([1, 4, 5, 8, 9].map((count) => {
            const { hands: { N, S }, play: { trick, won, lost } } = afterCards(state, count);
            return [N, S, trick.map(({ card }) => card).join(" "), won, lost];
        })));
    """)
    assert found == [
        ["A..5.5", ".2.3.3", "C2", 0, 0],
        ["A..5.", ".2.3.", "C2 C3 C4 C5", 0, 1],
        ["A..5.", ".2.3.", "D2", 0, 1],
        ["A...", ".2..", "D2 D3 D4 D5", 1, 1],
        ["A...", "...", "H2", 12, 1],
    ]


REVIEW = {
    "played": None, "contract": {"text": "4♠ N made"}, "imps": -7, "side": "NS", "other": None,
    "par": {"contracts": [], "points": 0, "imps": 0}, "strains": ["C", "D", "H", "S", "NT"],
    "tricks": {seat: [1, 2, 3, 4, 5] for seat in "NESW"}, "cards": [],
    "calls": [{"seat": "S", "call": "2H", "usual": "2H", "better": "3H", "lost": 7, "costly": False,
               "options": [{"call": "3H", "imps": 7, "result": ""}, {"call": "2H", "imps": 0, "result": ""}]}],
}  # fmt: skip


@pytest.mark.parametrize("usual", ["2H", "3H"])
def test_a_review_names_its_columns_and_blames_nobody_for_the_lie_of_the_cards(drawn, usual):
    found = copy.deepcopy(REVIEW)
    found["calls"][0] |= {"usual": usual, "costly": usual != "2H"}
    heads, text, bad, open_at_once = drawn(f"""
        import {{ drawReview }} from "./review.js";
        const at = place(), state = {{ people: ["S"], replay: false }};
        drawReview(at, state, {json.dumps(found)}, []);
        const heads = all(at, "th").filter((head) => head.attributes.scope === "col").map(heard);
        const bad = all(at, "span").filter((one) => one.attributes.class === "bad").map(heard);
        const [first] = all(at, "details");
        console.log(JSON.stringify([heads, heard(all(at, "summary")[0]), bad, "open" in first.attributes]));
    """)
    assert {"declarer", "clubs", "diamonds", "hearts", "spades", "NT"} <= set(heads)
    assert "" not in heads
    agreed = usual == "2H"
    assert ("3hearts was worth +7 IMPs on this deal" in text) != agreed
    assert ("your system's bidder calls so too" in text) == agreed
    assert (bad == []) == agreed
    assert open_at_once != agreed


def test_a_mean_within_its_error_has_no_colour(drawn):
    found = drawn("""
        import { tone } from "./words.js";
        console.log(JSON.stringify([tone(-0.01, 0.04), tone(-0.2, 0.04), tone(0.09, 0.04), tone(-3), tone(0)]));
    """)
    assert found == ["", "bad", "good", "bad", ""]


def test_classes_of_lists_do_not_hit_rows_of_tables():
    assert "{ class: row.kind }" in (STATIC / "versions.js").read_text()  # "changed" is one
    for path in STYLES:
        assert not re.search(r"(^|[,}\s])\.changed\b", path.read_text()), path


def colours(dark):
    """The colours of the style by name."""
    light, _, rest = STYLE.partition("@media (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", light))
    return found | (dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", rest[: rest.index("}\n}")])) if dark else {})


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


TEXTS = [(ink, ground) for ground in ("page", "panel", "card") for ink in
         ("ink", "quiet", "clubs", "diamonds", "hearts", "spades", "good", "bad", "vul", "accent")]  # fmt: skip
TEXTS += [("felt-ink", "felt"), ("felt-quiet", "felt")]  # suits stand on cards and plates
TEXTS += [("on-accent", "accent"), ("on-vul", "vul"), ("warn-ink", "warn")]
EDGES = [("edge", "page"), ("edge", "panel"), ("focus", "page"), ("focus", "panel")]
EDGES += [("focus", "card"), ("felt-focus", "felt")]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast_meets_wcag_aa(dark):
    known = colours(dark)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    for ink, ground in TEXTS:
        assert contrast(known[ink], known[ground]) >= 4.5, (ink, ground, contrast(known[ink], known[ground]))
    for line, ground in EDGES:
        assert contrast(known[line], known[ground]) >= 3, (line, ground)
