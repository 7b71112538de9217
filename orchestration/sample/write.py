"""Write the sample portfolio into a landing folder."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from orchestration.sample import front_desk, system_of_record
from orchestration.sample.book import Row
from orchestration.sample.closes import period_closes
from orchestration.sample.days import AS_OF, LAST_CLOSED
from orchestration.sample.town import town

SEEDS = Path(__file__).resolve().parents[2] / "seeds"

# Tables that grow month by month are split by year, as exports are: table -> the day whose year names the file.
BY_YEAR: Mapping[str, str] = {"charges": "posted_on", "payments": "received_on"}

COLUMNS: Mapping[str, str] = {
    "units": "unit_id property_id unit_number market_rent",
    "persons": "person_id name email",
    "leases": "lease_id property_id unit_id program billing start_on end_on move_in_on move_out_on rent_due_day "
    "proration_method signed_on",
    "lease_parties": "lease_id person_id role valid_from valid_to",
    "charge_schedules": "schedule_id lease_id charge_code amount proration_method valid_from valid_to",
    "rent_certifications": "certification_id lease_id contract_rent tenant_rent effective_on recorded_at",
    "charges": "charge_id lease_id charge_code amount posted_on due_on service_from service_to ledger_party "
    "schedule_id posting_run_id concession_id proration_method reverses_charge_id "
    "corrects_charge_id reason posted_by approved_by recorded_at",
    "payments": "payment_id lease_id entity_id amount received_on channel method payer_kind payer_person_id "
    "ledger_party designation designated_by represents_payment_id settlement_account settled_on recorded_at",
    "payment_reversals": "reversal_id payment_id kind amount reversed_on return_code reason recorded_at",
    "payment_matches": "payment_id lease_id matched_on matched_by recorded_at",
    "refunds_of_credit": "refund_id lease_id amount paid_on recorded_at",
    "posting_runs": "posting_run_id property_id kind business_date status selected posted",
    "deposit_movements": "movement_id lease_id kind amount occurred_on charge_id is_rent_deposit recorded_at",
    "concessions": "concession_id lease_id kind total_amount term_from term_to repayable_on_early_termination "
    "lease_clause approved_by",
    "write_offs": "write_off_id lease_id amount written_off_on approved_by reason recorded_at",
    "opening_balances": "opening_id lease_id as_of charge_code due_on amount",
    "period_closes": "entity_id period closed_at closed_by reviewed_by",
}


@dataclass(frozen=True)
class SampleInfo:
    """What was written: the as-of date to build with, the last month closed in it, the files, how many leases."""

    folder: Path
    as_of: date
    last_closed: str
    files: tuple[str, ...]
    leases: int
    stories: int
    rows: int


def write_sample(folder: Path) -> SampleInfo:
    """Write the whole sample as landing files into `folder` (made if missing) and say what it is.

    Files of the same name are overwritten; the bytes are the same on every run, so a second load changes nothing.
    Raises FileNotFoundError if the seeds of the repository are not beside the package.
    """
    for part in ("reference", "stories"):
        if not (SEEDS / "sample" / part).is_dir():
            raise FileNotFoundError(
                f"the sample's seeds are missing: {SEEDS / 'sample' / part} (run from a checkout of the repository)"
            )
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, int] = {}
    for source, suffix in ((SEEDS / "sample" / "reference", ""), (SEEDS / "sample" / "stories", "-stories")):
        for path in sorted(source.glob("*.csv")):
            if path.name == "stories.csv":
                continue
            name = f"{path.stem}{suffix}.csv"
            shutil.copyfile(path, folder / name)
            files[name] = _count(path)
    stories = _count(SEEDS / "sample" / "stories" / "stories.csv")
    tables = town()
    tables["period_closes"] = period_closes()
    for table, rows in tables.items():
        columns = COLUMNS[table].split()
        if table in BY_YEAR:
            years = sorted({row[BY_YEAR[table]][:4] for row in rows})
            for year in years:
                name = f"{table}-{year}.csv"
                files[name] = _write(folder / name, columns, [r for r in rows if r[BY_YEAR[table]].startswith(year)])
        else:
            name = f"{table}-town.csv"
            files[name] = _write(folder / name, columns, rows)
    stories_too = {table: [*rows, *_story_rows(table)] for table, rows in tables.items()}
    files["source_applications-town.csv"] = _write(
        folder / "source_applications-town.csv",
        system_of_record.COLUMNS,
        system_of_record.source_applications(stories_too),
    )
    files[front_desk.FILE] = _write(folder / front_desk.FILE, front_desk.COLUMNS, front_desk.rows(tables))
    return SampleInfo(
        folder=folder,
        as_of=AS_OF,
        last_closed=f"{LAST_CLOSED[0]:04d}-{LAST_CLOSED[1]:02d}",
        files=tuple(sorted(files)),
        leases=len(tables["leases"]) + _count(SEEDS / "sample" / "stories" / "leases.csv"),
        stories=stories,
        rows=sum(files.values()),
    )


def _write(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> int:
    written = 0
    with path.open("w", newline="", encoding="utf-8") as handle:
        out = csv.DictWriter(handle, columns, lineterminator="\n", restval="")
        out.writeheader()
        for row in rows:
            out.writerow(row)
            written += 1
    return written


def _story_rows(table: str) -> list[Row]:
    """The rows of the stories of a table, for the system of record that kept them too."""
    path = SEEDS / "sample" / "stories" / f"{table}.csv"
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def _count(path: Path) -> int:
    if not path.is_file():
        return 0
    with path.open(newline="", encoding="utf-8") as handle:
        return sum(1 for _ in csv.DictReader(handle))
