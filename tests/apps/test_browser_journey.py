"""One walk through the pages in a real browser: from an aging bar to a household, its ledger and its statement.

Only a browser draws a chart, runs what a name would run, and follows links; the figures of the pages are tested
without one.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest

from apps.reports.launch import command, environment
from tests.apps.published_home import FORMULA_NAME, MARKUP_NAME

pytestmark = [pytest.mark.browser, pytest.mark.journey]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
BAR = 'path[aria-roledescription="bar"]'
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def chromium() -> str:
    if CHROMIUM:
        return CHROMIUM
    message = "Chromium is not installed: apt-get install chromium (or put google-chrome on the path)"
    if os.environ.get("TIEOUT_ALL_TOOLS") == "1":
        pytest.fail(message)
    pytest.skip(message)


@contextlib.contextmanager
def served(home: Path, folder: Path, *, headless: bool, **more: str) -> Iterator[str]:
    """The pages of a home while they are served; the address. The process may ask nothing: nobody answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / "log.txt"
    with log.open("w") as target:
        server = subprocess.Popen(
            command(port=port, headless=headless), env={**environment(home), **more}, stdin=subprocess.PIPE,
            stdout=target, stderr=subprocess.STDOUT, cwd=folder,
        )  # fmt: skip
    try:
        until = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5)
                break
            except OSError:
                if time.monotonic() > until or server.poll() is not None:
                    pytest.fail(f"the pages did not come up: {log.read_text()}")
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


@pytest.fixture(scope="module")
def address(small_home: Path, chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(small_home, tmp_path_factory.mktemp("app"), headless=True) as where:
        yield where


def test_the_pages_come_up_for_a_person_who_has_never_started_them(small_home: Path, tmp_path: Path) -> None:
    """Streamlit would ask for an address first, and wait."""
    with served(small_home, tmp_path, headless=False, HOME=str(tmp_path), BROWSER="true") as where:
        assert urllib.request.urlopen(f"{where}/_stcore/health", timeout=5).read() == b"ok"


def figure(text: str) -> float:
    return float(re.sub(r"[^0-9.-]", "", text))


def test_from_an_aging_bar_to_a_household_and_its_statement(address: str, chromium: str, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    outside: set[str] = set()
    dialogs: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        page = browser.new_page(viewport={"width": 1360, "height": 1000})
        page.set_default_timeout(60_000)
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((address, "data:", "blob:", address.replace("http", "ws")))
                else outside.add(request.url)
            ),
        )

        # The chart: as high as its figure, on the scale that it draws beside itself.
        page.goto(f"{address}/aging?entity=maple-llc&party=resident")
        page.wait_for_selector(BAR, state="attached")
        bars = page.eval_on_selector_all(
            BAR,
            "all => all.map(each => ({label: each.getAttribute('aria-label'), box: each.getBBox()}))"
            ".map(each => ({label: each.label, height: each.box.height}))",
        )
        values = [
            figure(text)
            for text in page.locator(".role-axis-label text").all_text_contents()
            if re.fullmatch(r"[\d,]+", text)
        ]
        grid = page.eval_on_selector_all(
            ".role-axis-grid line", "all => all.map(each => each.transform.baseVal.consolidate().matrix.f)"
        )
        assert len(values) == len(grid) and min(values) == 0 and max(values) < 1_000_000
        a_pixel = max(values) / (max(grid) - min(grid))
        table = page.locator("table").first
        headings = table.locator("thead th").all_inner_texts()
        totals = dict(zip(headings, table.locator("tfoot td").all_inner_texts(), strict=True))
        assert totals["Over 90 days"] == "207,745.88"
        assert len(bars) == 5
        for bar, heading in zip(bars, headings[1:6], strict=True):
            assert bar["label"] == f"{heading}: ${totals[heading]}"
            drawn = bar["height"] * a_pixel
            assert abs(drawn - figure(totals[heading])) <= 2 * a_pixel, f"{heading}: drawn as {drawn}"

        # Names: shown as they are; nothing of them runs.
        body = page.inner_text("section.stMain, [data-testid=stMain]")
        assert MARKUP_NAME in body and FORMULA_NAME in body

        # The list of leases as a file: the same rows, and no formula in it.
        with page.expect_download() as download:
            page.get_by_role("button", name="Download as CSV").click()
        file = Path(download.value.path()).read_text(encoding="utf-8-sig")
        assert "t0001001" in file and f"\"'{FORMULA_NAME[:10]}" in file

        # The link of a lease leads to its ledger.
        page.get_by_role("link", name="t0001001").first.click()
        page.wait_for_url("**/ledger?lease=t0001001**")
        page.get_by_role("heading", name="Ada Example").wait_for()
        assert "$3,555.00" in page.inner_text(".t-facts")
        page.get_by_text("What paid it").nth(1).click()
        assert "2026-03-02: 1,000.00 from Payment (ACH) (P3)" in page.inner_text("table details[open]")

        # Its statement: the bytes that a person gets hold the figures of the page.
        with page.expect_download() as download:
            page.get_by_role("button", name="Download statement").click()
        assert download.value.suggested_filename == "statement-t0001001-2026-04.pdf"
        document = pypdfium2.PdfDocument(Path(download.value.path()).read_bytes())
        printed = "\n".join(sheet.get_textpage().get_text_range() for sheet in document)
        for shown in ("Ada Example", "$3,555.00", "2,205.00", "1,430.00", "1,600.00", "525.00"):
            assert shown in printed

        # The first page, and back by the sidebar.
        page.get_by_role("link", name="Close status").click()
        page.get_by_role("heading", name="Tie-outs that differ").wait_for()
        browser.close()
    assert not dialogs, "a name was run as a script"
    assert not outside, f"the pages reached out of the machine: {outside}"
