"""Pages and statements over the shipped sample: hundreds of households, two years, every month of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pypdfium2
import pytest

from apps.documents.statement import read_statements, statement_leases, statement_of, statement_pdf
from apps.reports.published import Published
from tests.apps.published_home import money
from tests.apps.test_pages import PAGES, lines, open_page, shown

if TYPE_CHECKING:
    from orchestration.home import Home

pytestmark = pytest.mark.journey


@pytest.fixture(scope="module")
def sample(sample_home: Home) -> Iterator[Published]:
    yield Published(sample_home.path)


def test_every_statement_of_the_last_two_years_explains_itself_and_opens_at_the_closing_before(
    sample: Published,
) -> None:
    reader = sample.reader()
    months = [f"{year}-{month:02}" for year in (2024, 2025, 2026) for month in range(1, 13)]
    closings: dict[tuple[str, str], object] = {}
    read = 0
    for month in [each for each in months if "2024-11" <= each <= "2026-11"]:
        for statement in read_statements(reader, month, statement_leases(sample, month)):
            key = (statement.lease["source_system"], statement.lease["lease_id"])
            if key in closings:
                assert statement.opening == closings[key], f"{key} {month}"
            closings[key] = statement.closing
            read += 1
    assert read > 5_000


def test_the_statement_of_ada_example_holds_the_figures_worked_out_by_hand(sample: Published) -> None:
    statement = statement_of(sample.reader(), "t0001001", "2026-04")
    assert statement.closing == money("3555")
    document = pypdfium2.PdfDocument(statement_pdf(sample, "t0001001", "2026-04"))
    printed = "".join(page.get_textpage().get_text_range() for page in document)
    for words in ("Ada Example", "Maple Court", "Amount due", "$3,555.00", "1,350.00"):
        assert words in printed


@pytest.mark.parametrize("page", PAGES)
def test_each_page_opens_on_the_sample(sample_home: Home, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    app = open_page(sample_home.path, monkeypatch, page, lease="t0001001", entity="birchline")
    if page == "completeness":
        assert "Nothing was promised." in shown(app), "no source of the sample promises its files"
    else:
        assert len(lines(app)) > 5


def test_every_aging_of_the_sample_adds_up_from_lease_to_property_to_entity(sample: Published) -> None:
    for entity in sample.query("aging_entities"):
        for row in sample.query("aging_days", entity_id=entity["entity_id"])[:6]:
            for basis in ("business", "books"):
                scope = {
                    "entity_id": entity["entity_id"],
                    "as_of": row["as_of"],
                    "basis": basis,
                    "ledger_party": None,
                }
                total = sample.one("aging_total", **scope, property_id=None)
                properties = sample.query("aging_by_property", **scope)
                leases = sample.query(
                    "aging_by_lease", **scope, property_id=None, ordering="oldest", page_size=10_000, skipped=0
                )
                for figure in ("days_0_30", "days_over_90", "open_total", "unapplied_credit", "balance"):
                    assert sum(each[figure] for each in properties) == total[figure]
                    assert sum(each[figure] for each in leases) == total[figure]
                assert total["open_total"] - total["unapplied_credit"] == total["balance"]
