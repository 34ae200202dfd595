"""Prose: Markdown pages with strict blanks, for prompts and reports; a missing or surplus value raises."""

from __future__ import annotations

import hashlib
from pathlib import Path
from string import Template


class BlanksWrong(Exception):
    """A page was filled with other values than it has blanks, or is not a page: a mistake of ours, never a user's."""


class Prose:
    """A folder of Markdown pages; `page` names a file without its .md, and its $blanks are its signature.

    digests: page -> SHA-256 of its text, so that a record can say which words were in force.
    """

    def __init__(self, folder: Path) -> None:
        texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
        self._pages = {page: Template(text) for page, text in texts.items()}
        self.digests = {page: hashlib.sha256(text.encode()).hexdigest() for page, text in texts.items()}
        broken = [page for page, template in self._pages.items() if not template.is_valid()]
        if broken:
            raise BlanksWrong(f"{', '.join(broken)} in {folder.name}: a $ that is no blank is written $$")

    @property
    def digest(self) -> str:
        """Of all pages together."""
        lines = [f"{page} {digest}" for page, digest in sorted(self.digests.items())]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def blanks(self, page: str) -> frozenset[str]:
        return frozenset(self._page(page).get_identifiers())

    def fill(self, page: str, /, **values: str | int) -> str:
        """The page with every blank filled; ends without a newline."""
        blanks = self.blanks(page)
        missing, surplus = sorted(blanks - set(values)), sorted(set(values) - blanks)
        if missing or surplus:
            raise BlanksWrong(f"{page}.md: missing {missing or 'nothing'}, surplus {surplus or 'nothing'}")
        return self._page(page).substitute(values).rstrip("\n")

    def _page(self, page: str) -> Template:
        if page not in self._pages:
            raise BlanksWrong(f"there is no page {page}.md")
        return self._pages[page]


def fenced(text: str, language: str = "") -> str:
    """`text` in a code fence that nothing inside it can close."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
