"""The command `tieout`.

Each command imports what it needs when it runs: `query` and `status` start in about a second because nothing here
imports Dagster, dbt or Polars. What goes wrong on purpose is a sentence on stderr and an exit code; a traceback appears
only with --debug.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestration.errors import TieoutError, UsageError
from orchestration.home import Home

if TYPE_CHECKING:
    from orchestration.query import Answer

app = typer.Typer(
    name="tieout",
    help="An accounting warehouse for residential rental housing: it proves the number.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
quarantine_app = typer.Typer(help="Rows that wait: list, settle, export.", no_args_is_help=True, rich_markup_mode=None)
rules_app = typer.Typer(help="Rules of law and policy.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(quarantine_app, name="quarantine")
app.add_typer(rules_app, name="rules")

HomeOption = Annotated[
    Path | None, typer.Option("--home", help="The home. Default: $TIEOUT_HOME, else ./tieout-home.", show_default=False)
]


@app.command()
def demo(home: HomeOption = None) -> None:
    """Set up a home with the shipped sample portfolio, build it, close what is finished, and say how to look at it."""
    from orchestration.demo import run_demo

    with _progress():
        closed = run_demo(Home.at(home))
    _report(Home.at(home))
    _say("")
    _say(f"Closed in this run: {', '.join(map(str, closed)) if closed else 'nothing (no finished month was open)'}")
    flag = f" --home {home}" if home else ""
    _say(f"Open the pages with `tieout app{flag}`, the orchestrator with `tieout dagster{flag}`.")


@app.command()
def run(
    landing: Annotated[Path, typer.Option("--landing", help="The folder of files, named after their table.")],
    home: HomeOption = None,
    as_of: Annotated[
        str, typer.Option("--as-of", help="The day of the build, YYYY-MM-DD. Default: today where it is earliest.")
    ] = "",
) -> None:
    """Load, validate, build, test, tie out, publish. A failed build leaves the published one as it was."""
    from orchestration import jobs

    place = Home.at(home)
    if not landing.is_dir():
        raise UsageError(f"There is no folder {landing}.", "Give the folder that holds the files with --landing DIR.")
    with _progress():
        jobs.run(place, landing, as_of=as_of)
    _report(place)


@app.command()
def profile(
    file: Annotated[Path, typer.Argument(help="A file of another layout: text with separators, or .xlsx.")],
    through: Annotated[
        Path | None, typer.Option("--with", help="Try this profile on the file instead of proposing one.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the proposed profile to this file.")] = None,
) -> None:
    """Propose a profile for a file, or try one on it. Nothing is loaded."""
    if through is not None:
        from orchestration.profiles.trial import try_profile

        _say("\n".join(try_profile(file, through)))
        return
    from orchestration.profiles.propose import propose, save

    proposal = propose(file)
    if out is None:
        sys.stdout.write(proposal.yaml)
        return
    save(proposal, out)
    _say("\n".join([f"The proposal is in {out}.", *proposal.summary()]))


@app.command()
def query(
    sql: Annotated[str, typer.Argument(help="One SELECT over the published tables, with or without `marts.`.")],
    home: HomeOption = None,
    format: Annotated[str, typer.Option("--format", help="table, csv or json.")] = "table",
) -> None:
    """Read the published schema. Nothing else can be read, and nothing can be written."""
    from orchestration import query as reading

    if format not in ("table", "csv", "json"):
        raise UsageError(f"--format {format!r} is not known; expected table, csv or json.")
    build = Home.at(home).need_published()
    answer = reading.ask(build, sql)
    if build.manifest.get("incomplete"):
        _complain(
            f"Build {build.number} is incomplete; `tieout status` and the table incomplete_data say what is missing."
        )
    if format == "csv":
        sys.stdout.write(reading.as_csv(answer))
    elif format == "json":
        _say(reading.as_json(answer))
    else:
        _table(answer)


@app.command()
def reference(
    out: Annotated[Path | None, typer.Option("--out", help="Write the page to this file.", show_default=False)] = None,
) -> None:
    """Every table that may land and that is published, every column, and every reason for which a row waits."""
    from orchestration.reference import reference_page

    page = reference_page()
    if out is None:
        sys.stdout.write(page)
        return
    try:
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        message = f"{out} cannot be written: {error.strerror}."
        raise UsageError(message, "Give a file in a folder that exists.") from None
    _say(f"The reference is in {out}.")


@app.command()
def close(
    entity: Annotated[str, typer.Option("--entity", help="The entity's id.")],
    period: Annotated[str, typer.Option("--period", help="The month, as in 2026-10.")],
    by: Annotated[str, typer.Option("--by", help="Who closes.")],
    reviewed_by: Annotated[str, typer.Option("--reviewed-by", help="Who looked over it.")] = "",
    accept: Annotated[str, typer.Option("--accept", help="Why a difference is accepted; kept with the close.")] = "",
    source: Annotated[
        str | None, typer.Option("--source", help="The source system, where two have this entity.")
    ] = None,
    home: HomeOption = None,
) -> None:
    """Close a month and all before it, for good. Refused while a tie-out of that month differs."""
    from orchestration.closing.close import close as close_months
    from orchestration.closing.close import items_of, month_of

    if not by.strip():
        raise UsageError("A month is closed by a named person.", "Give --by NAME.")
    place = Home.at(home)
    month = month_of(place, entity, period, source)
    _say(f"Checklist of {month}, prepared by {by}{f', reviewed by {reviewed_by}' if reviewed_by else ''}:")
    _say("\n".join(line for item in items_of(place, month) for line in item.text()))
    with _progress():
        build, files = close_months(place, [month], by=by, reviewed_by=reviewed_by, accept=accept)
    _say(
        f"{month} and all months before it are closed. Build {build.number} shows it; the record is {files[0]}, "
        f"the sealed pack {files[0].with_suffix('')}."
    )


@app.command("month-end")
def month_end(
    landing: Annotated[Path, typer.Option("--landing", help="The folder of files.")],
    by: Annotated[str, typer.Option("--by", help="Who closes.")],
    reviewed_by: Annotated[str, typer.Option("--reviewed-by", help="Who looked over it.")] = "",
    as_of: Annotated[str, typer.Option("--as-of", help="The day the figures stand for, YYYY-MM-DD.")] = "",
    home: HomeOption = None,
) -> None:
    """Load, build and tie; close every finished month that nothing speaks against; draw statements; leave a report."""
    from orchestration import jobs
    from orchestration.closing.month_end import reports

    if not by.strip():
        raise UsageError("A month is closed by a named person.", "Give --by NAME.")
    place = Home.at(home)
    with _progress():
        build = jobs.month_end(place, landing, by=by, reviewed_by=reviewed_by, as_of=as_of)
    report = reports(place) / f"month-end-{build.as_of}.txt"
    _say(report.read_text("utf-8"))
    _say(f"The report is {report}.")


@app.command()
def post(
    late_fees: Annotated[
        bool, typer.Option("--late-fees", help="Post late fees: the lesser of law and policy, or nothing.")
    ] = False,
    property_id: Annotated[str, typer.Option("--property", help="One property; else all.")] = "",
    days_ahead: Annotated[int, typer.Option("--days-ahead", help="Post charges due within so many days.")] = 0,
    since: Annotated[
        str, typer.Option("--since", help="Also months that are over, from this day on, YYYY-MM-DD.")
    ] = "",
    home: HomeOption = None,
) -> None:
    """Turn what is due on the day of the published build into charges. Run twice, it posts nothing twice."""
    from orchestration.posting.post import post as post_due
    from orchestration.posting.post import wanted

    place = Home.at(home)
    place.need_published()
    asked = wanted(place, ["late_fee" if late_fees else "recurring"], property_id, days_ahead, since)
    with _progress():
        build, posted = post_due(place, asked)
    _say(posted.text())
    _say(f"Build {build.number} shows it, as of {build.as_of}; each line and its reason stand in posting_run_lines.")


@app.command()
def status(home: HomeOption = None) -> None:
    """What is published and what falls short."""
    from orchestration.report import falls_short

    place = Home.at(home).need()
    if place.published() is None:
        _say(f"Nothing is published yet in {place.path}.")
    else:
        _report(place)
    short = falls_short(place)
    _say("")
    _say("\n".join(short) if short else "Nothing falls short.")


@app.command(name="app")
def pages(
    home: HomeOption = None,
    port: Annotated[int, typer.Option("--port", help="The port on this machine.")] = 8501,
    headless: Annotated[bool, typer.Option("--headless", help="Do not open a browser.")] = False,
) -> None:
    """Serve the pages on this machine."""
    from apps.reports import launch

    place = Home.at(home)
    place.need_published()
    _say(f"The pages are at http://127.0.0.1:{port} (stop with Ctrl-C).")
    command = launch.command(port=port, headless=headless)
    os.execvpe(command[0], command, dict(launch.environment(place.path)))


@app.command()
def dagster(
    home: HomeOption = None,
    port: Annotated[int, typer.Option("--port", help="The port on this machine.")] = 3000,
) -> None:
    """Serve Dagster's own UI, with the nightly schedule and the sensor that watches the landing folder."""
    from orchestration.pipeline import telemetry_off

    place = Home.at(home).create()
    place.landing.mkdir(parents=True, exist_ok=True)
    telemetry_off()
    environment = {
        **os.environ,
        "TIEOUT_HOME": str(place.path),
        "DAGSTER_HOME": str(place.dagster),
        "PYTHONWARNINGS": "ignore",
    }
    _say(f"Dagster is at http://127.0.0.1:{port}; it watches {place.landing} (stop with Ctrl-C).")
    command = [sys.executable, "-m", "dagster", "dev", "-m", "orchestration.definitions", "-h", "127.0.0.1"]
    os.execvpe(command[0], [*command, "-p", str(port)], environment)


@app.command()
def statement(
    month: Annotated[str, typer.Option("--month", help="The month, as in 2026-10.")],
    out: Annotated[Path, typer.Option("--out", help="A PDF file, or with --all a folder.")],
    lease: Annotated[str | None, typer.Option("--lease", help="The lease's id.")] = None,
    every: Annotated[bool, typer.Option("--all", help="One file for each lease with something to say.")] = False,
    source: Annotated[
        str | None, typer.Option("--source", help="The source system, where two have this lease.")
    ] = None,
    home: HomeOption = None,
) -> None:
    """Write a resident's statement of a month as PDF."""
    from orchestration.statements import write_all, write_one

    place = Home.at(home)
    place.need_published()
    if (lease is None) == (not every):
        raise UsageError("Say which lease with --lease ID, or --all for every lease.")
    if every:
        with _progress():
            written = write_all(place, month, out)
        _say(f"{len(written)} statements of {month} are in {out}.")
    else:
        assert lease is not None
        _say(f"The statement is {write_one(place, lease, month, out, source)}.")


@app.command()
def export(
    format: Annotated[
        str, typer.Option("--format", help="hledger, beancount, iif, qbo, xero, intacct, netsuite, yardi, csv or xlsx.")
    ],
    out: Annotated[Path, typer.Option("--out", help="A file, or a folder.")],
    entity: Annotated[str | None, typer.Option("--entity", help="One entity's books; else all.")] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="The source system, where two have this entity.")
    ] = None,
    first: Annotated[str, typer.Option("--from", help="The first month, as in 2026-01. Default: the earliest.")] = "",
    last: Annotated[str, typer.Option("--to", help="The last month, as in 2026-10. Default: the latest.")] = "",
    book: Annotated[str, typer.Option("--book", help="Which book.")] = "accrual",
    detail: Annotated[
        bool, typer.Option("--detail/--summary", help="A document per event, or one per property and day.")
    ] = True,
    names: Annotated[
        Path | None, typer.Option("--names", help="A CSV file of what things are called over there.")
    ] = None,
    home: HomeOption = None,
) -> None:
    """Write the books for another system. Refused, with a list, where that system would refuse them."""
    from orchestration.exports import write_export

    place = Home.at(home)
    place.need_published()
    with _progress():
        written = write_export(
            place,
            format,
            out,
            book=book,
            entity=entity,
            source=source,
            first=first,
            last=last,
            detail=detail,
            names=names,
        )
    _say("\n".join(written[-1].read_text(encoding="utf-8").splitlines()))
    _say(f"The books are in {', '.join(str(path) for path in written[:-1])}.")


@quarantine_app.command("list")
def quarantine_list(
    home: HomeOption = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Only rows with this reason.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Settled rows too.")] = False,
) -> None:
    """The rows that wait: what was found, what was expected, what to do."""
    from orchestration.quarantine import rows

    for line in rows(Home.at(home).need(), reason, every).lines():
        _say(line)


@quarantine_app.command("resolve")
def quarantine_resolve(
    quarantine_id: Annotated[str, typer.Argument(help="The id that `list` shows.")],
    by: Annotated[str, typer.Option("--by", help="Who decides.")],
    reason: Annotated[str, typer.Option("--reason", help="Why.")],
    home: HomeOption = None,
    build: Annotated[bool, typer.Option(help="Build again at once, so that it shows.")] = True,
) -> None:
    """Settle a row by hand: it enters where its reason allows that, else it is set aside for good."""
    from orchestration.quarantine import resolve

    with _progress():
        said = resolve(Home.at(home).need(), quarantine_id, by, reason, rebuild=build)
    _say(said)


@quarantine_app.command("export")
def quarantine_export(
    out: Annotated[Path, typer.Option("--out", help="An XLSX file to fill in and give back, or a CSV file to read.")],
    home: HomeOption = None,
    every: Annotated[bool, typer.Option("--all", help="Settled rows too.")] = False,
) -> None:
    """Write the rows that wait to a file for whoever corrects them."""
    from orchestration.quarantine import export, rows

    place = Home.at(home).need()
    written = export(place, rows(place, None, every), out)
    _say(f"{written} rows are in {out}.")


@quarantine_app.command("return")
def quarantine_return(
    workbook: Annotated[Path, typer.Argument(help="The workbook that `export` wrote, filled in.")],
    by: Annotated[str, typer.Option("--by", help="Who corrected the rows.")],
    home: HomeOption = None,
) -> None:
    """Land the corrected rows of a filled-in workbook and build. Rows that nobody touched change nothing."""
    from orchestration.quarantine_workbook import give_back

    with _progress():
        said = give_back(Home.at(home).need(), workbook, by)
    _say(said)


@quarantine_app.command("summary")
def quarantine_summary(home: HomeOption = None) -> None:
    """What waits, in rows and cents, by reason, age and file."""
    from orchestration.quarantine import summary

    for line in summary(Home.at(home)):
        _say(line)


@rules_app.command("list")
def rules_list(home: HomeOption = None) -> None:
    """The rules that the published build applies."""
    from orchestration.rules import listed

    for line in listed(Home.at(home).need_published()):
        _say(line)


@rules_app.command("install")
def rules_install(home: HomeOption = None) -> None:
    """Land the rules that come with the product, and build again if any of them is new."""
    from orchestration.rules import install

    with _progress():
        said = install(Home.at(home))
    _say(said)


def main() -> None:
    """Run the command and end the process with its exit code."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: list[str]) -> int:
    """Run `tieout` with these arguments. Returns the exit code; never raises for what a person did."""
    debug = "--debug" in arguments
    try:
        result = app(args=[a for a in arguments if a != "--debug"], prog_name="tieout", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except typer.Exit as ended:
        return ended.exit_code
    except typer.TyperException as error:
        error.show(sys.stderr) if hasattr(error, "show") else _complain(str(error))
        return 2
    except (typer.Abort, KeyboardInterrupt):
        _complain("Stopped. The published build is as it was.")
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except TieoutError as error:
        if debug:
            raise
        _complain(str(error))
        return error.exit_code
    except Exception as error:
        if debug:
            raise
        _complain(
            f"A bug in tieout: {type(error).__name__}: {error}\nThe published build is as it was. --debug shows where."
        )
        return 1


def _report(place: Home) -> None:
    from orchestration.report import close_report

    _say("\n".join(close_report(place)))


def _table(answer: Answer) -> None:
    from orchestration.query import as_table
    from orchestration.report import aligned, count

    numbers = {i for i, kind in enumerate(answer.types) if "INT" in kind or kind.startswith("DECIMAL")}
    rows = [[text.replace("\n", " ") for text in row] for row in as_table(answer)]
    widths = [max([len(name), *(len(row[i]) for row in rows)]) for i, name in enumerate(answer.columns)]
    for line in aligned([list(answer.columns), ["-" * width for width in widths], *rows], right=numbers):
        _say(line)
    _say(f"({count(len(rows), 'row')})")


@contextlib.contextmanager
def _progress() -> Iterator[None]:
    """Show where long work is: a moving line on a terminal, a line per step elsewhere. Both on stderr."""
    from orchestration.progress import shown

    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(20), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("Starting", total=None)

            def show(text: str, done: int, of: int) -> None:
                bar.update(task, description=text[:70], completed=done, total=of or None)

            with shown(show):
                yield
        return
    told = 0  # quarters of the step, so that a log gets four lines and not one for each model

    def plain(text: str, done: int, of: int) -> None:
        nonlocal told
        if not of:
            told = 0
            print(f"{text} ...", file=sys.stderr, flush=True)
        elif (quarters := done * 4 // of) > told:
            told = quarters
            print(f"  {done} of {of}", file=sys.stderr, flush=True)

    with shown(plain):
        yield


def _say(text: str) -> None:
    print(text)


def _complain(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    main()
