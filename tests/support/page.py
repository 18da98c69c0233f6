"""A page for the web, read to see whether it is whole."""

from collections import Counter
from html.parser import HTMLParser


class Page(HTMLParser):
    """Counts tags, keeps those that are open, and what it would load from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.loads = [], Counter(), []

    def handle_starttag(self, tag, attrs):
        self.seen[tag] += 1
        self.loads += [value for name, value in attrs if name in ("src", "href", "srcset", "data")]
        if tag not in ("meta", "br", "link", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
