"""`tapegate rubric`: score a file of samples by the rubric, without a suite."""

from __future__ import annotations

from pathlib import Path

import click

from tapegate.cli import options

EXIT = {"ready": 0, "not_ready": 1, "inconclusive": 3, "no_data": 3}


@click.command()
@click.argument("samples", type=click.Path(path_type=Path), metavar="SAMPLES")
@click.option(
    "--repeats", "repeated", is_flag=True, help="The samples' `run_id` tells repeated runs apart (3 or more)."
)
@options.JSON
@click.pass_context
def rubric(ctx: click.Context, samples: Path, *, repeated: bool, as_json: bool) -> None:
    """Score SAMPLES (.json, .jsonl or .csv) by the rubric: every aggregate, and whether the run is ready for release.

    A sample has the rubric's fields (accuracy_score, faithfulness_score, latency_e2e_ms, input_tokens, …) and
    timed_out, crashed, timeout_ms. Exit codes: 0 ready, 1 not ready, 3 inconclusive or no data, 2 invalid samples.
    """
    from tapegate.errors import UsageError
    from tapegate.grade.rubric.aggregate import aggregate
    from tapegate.grade.rubric.repeats import repeats
    from tapegate.load.samples import read_samples
    from tapegate.report import rubric as rows
    from tapegate.report import rubric_table as table

    read = read_samples(samples, str(samples))
    if repeated:
        runs = repeats(read)
        click.echo(rows.repeats_json(runs) if as_json else table.repeats_table(runs), nl=False)
        ctx.exit(EXIT[runs.verdict])
    named = sorted({sample.run_id for sample in read})
    if len(named) > 1:
        shown = ", ".join(map(repr, named[:5]))
        raise UsageError.of(
            "several_runs",
            f"the samples belong to {len(named)} runs ({shown}), and the gates are of one run",
            fix="add --repeats, or score one run at a time",
        )
    score = aggregate(read)
    click.echo(rows.run_json(score) if as_json else table.run_table(score), nl=False)
    ctx.exit(EXIT[score.verdict])
