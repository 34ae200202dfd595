"""The demonstration in a browser: the real six services, a worked problem, boxes on this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import expect

from gymwright.cli.house import House
from tests.e2e.browsing import a_tab, needs_a_browser

ROOT = Path(__file__).resolve().parents[2]
BOXES = ROOT / ".sandbox-venv" / "bin" / "python"
PROBLEM = "Optimise hospital shift scheduling"
RUN_MS = 240_000

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not BOXES.exists(), reason="no local boxes here: make sandbox-venv"),
    pytest.mark.timeout(400),
]


async def test_the_demonstration_goes_from_a_sentence_to_a_report_in_the_browser(tmp_path: Path) -> None:
    needs_a_browser()
    boxes = {"GYMWRIGHT_SANDBOX_DRIVER": "local", "GYMWRIGHT_SANDBOX_PYTHON": str(BOXES)}
    with House(tmp_path / "data", free_ports=True, settings=boxes) as house:
        await asyncio.to_thread(house.wait_until_healthy)
        async with a_tab(house.http) as tab:
            await tab.visit()
            await tab.press(PROBLEM)  # one of those to try
            await tab.page.get_by_text("Options").click()
            await tab.page.get_by_label("Training steps").fill("2048")
            await tab.press("Start the run")
            await tab.shows("loading")  # the second of the groups of checks
            await tab.page.reload()
            report = tab.page.get_by_role("tab", name="Report")
            await expect(report).to_have_attribute("aria-selected", "true", timeout=RUN_MS)
            await tab.shows_heading("Against the baselines")
            figures = tab.page.locator("img.figure")
            await expect(figures).not_to_have_count(0)
            for figure in await figures.all():
                await figure.scroll_into_view_if_needed()
                await expect(figure).to_have_js_property("complete", True)
                assert await figure.evaluate("figure => figure.naturalWidth") > 0
            for name, text in {"Design": "What it is paid for", "Ladder": "cover the need", "Code": "gym.Env"}.items():
                await tab.open(name)
                await tab.shows(text)
            await tab.open("Curves")
            await expect(tab.page.get_by_role("img", name="Reward over").first).to_be_visible()
            await tab.is_accessible()
            await tab.open("Files")
            async with tab.page.expect_download() as coming:
                await tab.page.get_by_role("link", name="environment.py").click()
            assert "class Environment" in (await (await coming.value).path()).read_text()
