"""A page for the web or a part of one, read to see whether it is whole and what it holds."""

from collections import Counter
from html.parser import HTMLParser


class Page(HTMLParser):
    """A page or a fragment; every tag must be closed, in order.

    Args:
        html: read at once where it is given; then nothing may stay open.

    Attributes:
        open: tags that are not closed yet.
        seen: how often each tag stands there.
        loads: what it would load or lead to.
        tags: each tag with its attributes.
        text: all text but that of styles and scripts.
    """

    def __init__(self, html=None):
        super().__init__()
        self.open, self.seen, self.loads, self.tags, self.text = [], Counter(), [], [], ""
        if html is not None:
            self.feed(html)
            self.close()
            assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen[tag] += 1
        self.loads += [value for name, value in attrs if name in ("src", "href", "srcset", "data")]
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in ("meta", "br", "link", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text += data

    def all(self, tag, css=None):
        """The attributes of every ``tag``, or of those of class ``css``."""
        found = [attrs for name, attrs in self.tags if name == tag]
        return found if css is None else [attrs for attrs in found if css in attrs.get("class", "").split()]

    def values(self, attribute):
        """Every value of an attribute."""
        return [attrs[attribute] for _, attrs in self.tags if attribute in attrs]
