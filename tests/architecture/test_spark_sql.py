"""Every model is one text for DuckDB and for Spark: what engines spell differently is dispatched by adapter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.architecture.spark import foreign, models, published_functions, renderer

PROJECT = Path(__file__).resolve().parents[2] / "dbt_project"


def test_every_model_is_sql_that_spark_reads() -> None:
    rendered = renderer(PROJECT)
    found = {path.name: foreign(rendered(path.read_text("utf-8"))) for path in models(PROJECT)}
    assert len(found) > 100
    assert {name: problems for name, problems in found.items() if problems} == {}


def test_every_published_function_is_sql_that_spark_reads() -> None:
    rendered = renderer(PROJECT)
    asked = published_functions(PROJECT)
    texts = {
        name: rendered(f"{{{{ as_of_text({chain} + ['{mart}'], '{mart}') }}}}") for name, (mart, chain) in asked.items()
    }
    assert len(texts) >= 10
    assert {name: foreign(text) for name, text in texts.items() if foreign(text)} == {}
    for text in texts.values():
        assert "as_of_day" in text and "as_known_at" in text
        assert "some_layer." not in text  # every input is named, so that no file's name is in a function


def test_every_published_function_is_told_of_where_its_table_is() -> None:
    marts = yaml.safe_load((PROJECT / "models/marts/subledger/_subledger_marts.yml").read_text("utf-8"))["models"]
    told = {name: mart["name"] for mart in marts for name in re.findall(r"the function `(\w+)\(", mart["description"])}
    assert told == {name: mart for name, (mart, _) in published_functions(PROJECT).items()}


def test_a_function_whose_chain_leaves_out_what_says_not_when_it_was_known_is_refused() -> None:
    rendered = renderer(PROJECT)
    with pytest.raises(Exception, match="int_arrears__entries, which says not when it was known"):
        rendered("{{ as_of_text(['int_arrears__rents', 'int_arrears__money'], 'int_arrears__money') }}")


@pytest.mark.parametrize(
    ("planted", "named"),
    [
        ("select list_transform(a, x -> x + 1) as b from t", "list_transform"),
        ("select a from t qualify row_number() over (partition by a order by b) = 1", "QUALIFY"),
        ("select a::date as b from t", "::"),
        ("select unnest(range(1, 3)) as b from t", "range"),
        ("select unnest([1, 2]) as b from t", "unnest"),
        ("select strftime(d, '%Y') as y from t", "strftime"),
        ("select string_split(a, ',') as b from t", "string_split"),
        ("select date_diff('day', a, b) as n from t", "date_diff"),
        ('select a as "b" from t', "double quotes"),
        ("select cast(a as varchar) as b from t", "VARCHAR"),
        ("select cast(a as hugeint) as b from t", "INT128"),
        ("select cast(a as decimal) as b from t", "DECIMAL"),
        ("select * exclude (a) from t", "exclude"),
        ("select a from t asof join u on t.b >= u.b", "ASOF"),
        ("with a as (select 1 as n union all select n + 1 from a where n < 3) select n from a", "WITH RECURSIVE"),
        ("pivot t on a using sum(b)", "no query"),
    ],
)
def test_a_construct_that_only_duckdb_reads_is_named(planted: str, named: str) -> None:
    problems = foreign(planted)
    assert problems, planted
    assert any(named in problem for problem in problems), problems


def test_a_macro_without_a_branch_for_spark_is_rendered_as_it_stands_and_found() -> None:
    macro = """
        {% macro first_day(d) %}{{ adapter.dispatch('first_day')(d) }}{% endmacro %}
        {% macro default__first_day(d) %}{{ d }}::date{% endmacro %}
    """
    planted = renderer(PROJECT, macro)("select {{ first_day('a') }} as b from {{ ref('t') }}")
    assert foreign(planted) == ["a cast written with ::"]
    better = macro + "{% macro spark__first_day(d) %}cast({{ d }} as date){% endmacro %}"
    assert foreign(renderer(PROJECT, better)("select {{ first_day('a') }} as b from {{ ref('t') }}")) == []


def test_the_branch_for_spark_is_the_one_rendered() -> None:
    rendered = renderer(PROJECT)
    assert rendered("{{ period_of('d') }}") == "date_format(d, 'yyyy-MM')"
    assert rendered("{{ text('a') }}") == "cast(a as string)"
