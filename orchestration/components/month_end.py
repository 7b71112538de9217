"""The job `month_end`: load, build and tie; close what may close; draw statements; leave a report.

It makes two builds, one that shows what arrived and one that shows what was closed on it, so it is a job of steps and
not
of assets: an asset is made once in a run. The steps call the functions that the jobs `run` and `close` call.
"""

import os
from pathlib import Path
from typing import Any

import dagster as dg

from orchestration import pipeline
from orchestration.closing import month_end as steps
from orchestration.closing.close import Month
from orchestration.resources.home import HomeResource, failures_in_words

CLOSED_BY_VARIABLE = "TIEOUT_CLOSED_BY"


class LoadConfig(dg.Config):
    """Which folder is read."""

    folder: str = ""
    """A folder of files named after their tables; empty: the folder that the home watches, if it is there."""


class CloseConfig(dg.Config):
    """Who closes."""

    closed_by: str
    reviewed_by: str = ""


@dg.op(out=dg.Out(int), description="Load a folder, build, test, tie out and publish. Returns the number of the build.")
def load_and_build(context: dg.OpExecutionContext, config: LoadConfig, home: HomeResource) -> int:
    with failures_in_words(), steps.step(home.home, "load_and_build"):
        run = home.run(context.run.run_id)
        folder = Path(config.folder) if config.folder else home.home.landing
        pipeline.load(run, folder if config.folder or folder.is_dir() else None)
        pipeline.validate(run)
        pipeline.stop_if_unexpected(run)
        pipeline.build(run)
        return pipeline.publish_build(run).number


@dg.op(
    ins={"build": dg.In(int)},
    out=dg.Out(list),
    description="Close each month that is over in its entity's own time zone and that nothing speaks against; seal it.",
)
def close_finished(
    context: dg.OpExecutionContext, config: CloseConfig, home: HomeResource, build: int
) -> list[dict[str, str]]:
    with failures_in_words(), steps.step(home.home, "close_finished"):
        closed = steps.close_finished(
            home.home, by=config.closed_by, reviewed_by=config.reviewed_by, run_id=context.run.run_id,
            moment=steps.later(home.loaded_at),
        )  # fmt: skip
    context.log.info(f"closed on build {build}: {', '.join(map(str, closed.months)) or 'nothing'}")
    return [
        {"source_system": month.source_system, "entity_id": month.entity_id, "period": month.period}
        for month in closed.months
    ]


@dg.op(
    ins={"closed": dg.In(dg.Nothing)},
    out=dg.Out(int),
    description="Draw the statements of each sealed month that has none yet.",
)
def draw_statements(home: HomeResource) -> int:
    with failures_in_words(), steps.step(home.home, "draw_statements"):
        return len(steps.write_statements(home.home))


@dg.op(
    ins={"closed": dg.In(list), "drawn": dg.In(int)},
    out=dg.Out(str),
    description="Leave a report: what was closed, what stays open and why, and the state of the books.",
)
def leave_report(home: HomeResource, closed: list[dict[str, str]], drawn: int) -> str:
    with failures_in_words(), steps.step(home.home, "leave_report"):
        return str(steps.leave_report(home.home, _months(closed), drawn, steps.later(home.loaded_at)))


def month_end_job() -> dg.JobDefinition:
    """The job itself: one process, because a DuckDB file has one writer."""

    @dg.job(
        name="month_end",
        executor_def=dg.in_process_executor,
        description="Load, build, tie, close what may close per entity, seal packs, draw statements, leave a report.",
    )
    def month_end() -> None:
        closed = close_finished(load_and_build())
        leave_report(closed, draw_statements(closed))

    return month_end


def month_end_schedule(job: dg.JobDefinition) -> dg.ScheduleDefinition:
    """The first ten nights of a month: an entity that could not close on the first night closes on a later one."""

    def config(_: dg.ScheduleEvaluationContext) -> dict[str, Any]:
        return {"ops": {"close_finished": {"config": {"closed_by": os.environ[CLOSED_BY_VARIABLE]}}}}

    def is_somebody_named(_: dg.ScheduleEvaluationContext) -> bool:
        return bool(os.environ.get(CLOSED_BY_VARIABLE, "").strip())

    return dg.ScheduleDefinition(
        name="month_end",
        job=job,
        cron_schedule="0 4 1-10 * *",
        run_config_fn=config,
        should_execute=is_somebody_named,
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description=f"Month ends by themselves, in the name that ${CLOSED_BY_VARIABLE} gives; without one none runs.",
    )


def _months(closed: list[dict[str, str]]) -> list[Month]:
    return [Month(**month) for month in closed]
