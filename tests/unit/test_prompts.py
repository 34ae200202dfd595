"""Prompts and the report's prose: Markdown pages with strict blanks, in every room that has some."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.prose import BlanksWrong, Prose, fenced
from services.coder.model_coder import PROMPTS as CODER_PROMPTS
from services.designer.model_designer import PROMPTS as DESIGNER_PROMPTS
from services.reporter.reporting import PROSE as REPORTER_PROSE


@pytest.fixture
def prose(tmp_path: Path) -> Prose:
    (tmp_path / "greeting.md").write_text("Dear $name,\n\nit costs $$5, $name.\n")
    return Prose(tmp_path)


def test_a_filled_page_has_its_values_and_single_dollars(prose: Prose) -> None:
    assert prose.fill("greeting", name="Ada") == "Dear Ada,\n\nit costs $5, Ada."


def test_values_are_not_filled_again(prose: Prose) -> None:
    assert prose.fill("greeting", name="$name $$").startswith("Dear $name $$,")


@pytest.mark.parametrize(
    ("page", "values", "complaint"),
    [
        ("greeting", {}, "missing \\['name'\\]"),
        ("greeting", {"name": "Ada", "age": "36"}, "surplus \\['age'\\]"),
        ("farewell", {}, "no page farewell.md"),
    ],
)
def test_a_missing_blank_a_surplus_value_or_an_unknown_page_raises(
    prose: Prose, page: str, values: dict[str, str], complaint: str
) -> None:
    with pytest.raises(BlanksWrong, match=complaint):
        prose.fill(page, **values)


def test_a_dollar_that_is_no_blank_is_found_when_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "bill.md").write_text("costs 5 $ a day")
    with pytest.raises(BlanksWrong, match="bill"):
        Prose(tmp_path)


def test_a_digest_changes_with_the_words(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("one")
    first = Prose(tmp_path)
    page.write_text("two")
    second = Prose(tmp_path)
    assert first.digests["page"] != second.digests["page"]
    assert first.digest != second.digest


@pytest.mark.parametrize("text", ["plain", "```\nescape\n```", "a ```` b", "`" * 9, "ends with newline\n"])
def test_nothing_inside_a_fence_closes_it(text: str) -> None:
    first, *inside, last = fenced(text, "text").split("\n")
    fence = first.removesuffix("text")
    assert last == fence
    assert "\n".join(inside) == text.rstrip()
    assert fence not in text


@pytest.mark.parametrize(
    "folder", [CODER_PROMPTS, DESIGNER_PROMPTS, REPORTER_PROSE], ids=["coder", "designer", "reporter"]
)
def test_every_page_of_the_product_can_be_read(folder: Path) -> None:
    assert Prose(folder).digests


@pytest.mark.parametrize(
    ("folder", "room"),
    [(CODER_PROMPTS, "coder"), (DESIGNER_PROMPTS, "designer"), (REPORTER_PROSE, "reporter")],
    ids=["coder", "designer", "reporter"],
)
def test_every_page_is_used_by_its_room(folder: Path, room: str) -> None:
    code = "\n".join(path.read_text() for path in folder.parent.rglob("*.py"))
    computed = ("verdict_", "design_by_")  # by the name of what they are about
    unused = [page for page in Prose(folder).digests if f'"{page}"' not in code and not page.startswith(computed)]
    assert [page for page in unused if f"{page.rsplit('_', 1)[0]}_" not in code] == [], room
