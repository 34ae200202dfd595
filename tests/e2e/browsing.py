"""A browser on the gateway's page: the system's Chromium, and what it asked for and complained of meanwhile."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.async_api import Page, async_playwright, expect

from gateway.clients import Addresses
from gateway.http import http_listening
from gateway.http.page import PAGE
from gateway.opening import GatewayParts, opened
from tests.integration.agents import Script, agents

AXE = PAGE.parent / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-quic",
]  # fmt: skip
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
GRAVE = ("serious", "critical")

expect.set_options(timeout=30_000)  # on busy cores


def needs_a_browser() -> None:
    """Skips the test where there is none, or fails it where there has to be one (GYMWRIGHT_REQUIRE_BROWSER=1)."""
    missing = [
        what
        for what, there in (
            ("Chromium is not installed", CHROMIUM is not None),
            ("the page is not built: make page", (PAGE / "index.html").is_file() and AXE.is_file()),
        )
        if not there
    ]
    if missing:
        refuse = pytest.fail if os.environ.get("GYMWRIGHT_REQUIRE_BROWSER") == "1" else pytest.skip
        refuse("; ".join(missing))


@dataclass
class Tab:
    """One tab of one browser."""

    page: Page
    base: str
    asked: list[str] = field(default_factory=list)  # every address that the browser asked for
    complaints: list[str] = field(default_factory=list)  # exceptions, and what the content policy forbade

    async def visit(self, path: str = "/") -> None:
        await self.page.goto(self.base + path)

    async def start(self, problem: str) -> None:
        """From the form to the run's own page."""
        await self.visit()
        await self.page.get_by_label("The problem").fill(problem)
        await self.page.get_by_role("button", name="Start the run").click()
        await self.shows_heading(problem)

    async def shows(self, text: str) -> None:
        await expect(self.page.get_by_text(text).first).to_be_visible()

    async def shows_heading(self, name: str) -> None:
        await expect(self.page.get_by_role("heading", name=name, exact=True).first).to_be_visible()

    async def press(self, button: str) -> None:
        await self.page.get_by_role("button", name=button).click()

    async def open(self, tab: str) -> None:
        await self.page.get_by_role("tab", name=tab).click()
        await expect(self.page.get_by_role("tabpanel", name=tab)).to_be_visible()

    async def is_accessible(self) -> None:
        """By axe, wide and light, then dark on a phone, where nothing may be wider than the screen either."""
        for scheme, size in (("light", WIDE), ("dark", PHONE)):
            await self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            await self.page.set_viewport_size(size)
            await self.page.evaluate("document.fonts.ready")
            found = await self.page.evaluate(f"{AXE.read_text()}; axe.run(document, {{resultTypes: ['violations']}})")
            grave = [
                (each["id"], [node["html"] for node in each["nodes"][:3]])
                for each in found["violations"]
                if each["impact"] in GRAVE
            ]
            assert grave == [], scheme
        assert await self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        await self.page.emulate_media(color_scheme="light")
        await self.page.set_viewport_size(WIDE)


@asynccontextmanager
async def a_tab(base: str) -> AsyncIterator[Tab]:
    """Whatever the test does there, nothing is asked of anyone but the gateway."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            page = await browser.new_page(viewport=WIDE, reduced_motion="reduce", accept_downloads=True)
            tab = Tab(page, base)
            page.on("request", lambda request: tab.asked.append(request.url))
            page.on("pageerror", lambda error: tab.complaints.append(str(error)))
            page.on("dialog", lambda dialog: tab.complaints.append(dialog.message))
            page.on(
                "console",
                lambda said: tab.complaints.append(said.text) if "Content Security Policy" in said.text else None,
            )
            yield tab
            assert tab.complaints == []
            assert [url for url in tab.asked if not url.startswith((f"{base}/", f"blob:{base}/"))] == []
        finally:
            await browser.close()


def parts(folder: Path, addresses: Addresses) -> GatewayParts:
    """With the patience of a real gateway: agents are held while a browser looks."""
    return GatewayParts(
        database=f"sqlite:///{folder}/gymwright.db", artifacts=str(folder / "runs"), addresses=addresses
    )


@asynccontextmanager
async def a_page(folder: Path, script: Script, token: str | None = None) -> AsyncIterator[Tab]:
    """The page of a gateway in this process, with fakes for the five services."""
    needs_a_browser()
    async with (
        agents(script) as addresses,
        opened(parts(folder, addresses)) as runs,
        http_listening(runs, "127.0.0.1:0", token) as port,
        a_tab(f"http://127.0.0.1:{port}") as tab,
    ):
        yield tab
