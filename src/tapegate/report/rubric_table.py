"""The rubric's numbers as a table for people. Pure; rounded like the JSON: no number contradicts the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest

from tapegate.grade.rubric.aggregate import LEAST_AGGREGATE, LEAST_PASS_RATE, MOST_FAILURES, MOST_P95_MS
from tapegate.grade.rubric.headline import WORDS, headline
from tapegate.grade.rubric.shown import root, shown
from tapegate.model.rubric import GateName, Repeats, RunScore, SampleScore, Spread
from tapegate.report.inert import log_safe
from tapegate.report.rubric import side

ABSENT = "–"
UNMEASURED = "unbounded"
_SHOWN = 20
"""Samples that do not pass and are listed."""


def run_table(score: RunScore) -> str:
    """One run: its gates, its other numbers, and the samples that do not pass."""
    if not score.n:
        return f"{headline(score)}\n"
    failing = [one for one in score.samples if not one.passes]
    parts = [headline(score), "", *_aligned(_gates(score)), "", *_aligned(_numbers(score))]
    if failing:
        parts += ["", f"{_count(len(failing), 'sample does', 'samples do')} not pass:", *_aligned(_samples(failing))]
        if len(failing) > _SHOWN:
            parts.append(f"  and {len(failing) - _SHOWN} more")
    return "\n".join(parts) + "\n"


def repeats_table(repeats: Repeats) -> str:
    """Repeated runs: each in a line, then how they spread."""
    rows = [["run", "verdict", "aggregate_score", "latency_e2e_p95_ms", "samples"]]
    rows += [
        [log_safe(run), WORDS[one.verdict], number("aggregate_score", one.aggregate_score), p95(one), str(one.n)]
        for run, one in repeats.runs.items()
    ]
    for name, place in (("mean", 0), ("standard deviation (n - 1)", 1)):
        rows.append([name, "", *(_spread(one)[place] for one in (repeats.aggregate_score, repeats.latency_e2e_p95_ms))])
    head = f"release readiness over {len(repeats.runs)} runs: {WORDS[repeats.verdict]}"
    return "\n".join([head, "", *_aligned(rows)]) + "\n"


def number(name: str, value: Fraction | None) -> str:
    """A number, rounded to the side that flatters nothing; a dash where there is none."""
    return ABSENT if value is None else f"{shown(value, side(name)):,f}"


def p95(score: RunScore) -> str:
    """The gated latency."""
    if score.p95_is_infinite:
        return UNMEASURED
    return ABSENT if score.latency_e2e_p95_ms is None else f"{score.latency_e2e_p95_ms:,}"


def _gates(score: RunScore) -> Iterator[list[str]]:
    yield ["gate", "limit", "at worst", "at best", ""]
    yield _gate(score, "aggregate", LEAST_AGGREGATE, score.aggregate_gate_lower, score.aggregate_upper)
    yield _gate(score, "pass_rate", LEAST_PASS_RATE, score.pass_rate, score.pass_rate_upper)
    worst, best = score.faithfulness_failure_rate_upper, score.faithfulness_failure_rate
    yield _gate(score, "faithfulness_failure_rate", MOST_FAILURES, worst, best)
    yield ["latency_e2e_p95_ms", f"≤ {MOST_P95_MS:,}", p95(score), p95(score), _says(score, "latency_p95")]


def _gate(score: RunScore, gate: GateName, limit: Fraction, worst: Fraction | None, best: Fraction | None) -> list[str]:
    name = "aggregate_score" if gate == "aggregate" else gate
    sign = "≤" if side(name) == "up" else "≥"
    return [name, f"{sign} {shown(limit, places=2)}", number(name, worst), number(name, best), _says(score, gate)]


def _says(score: RunScore, gate: str) -> str:
    if gate in score.failed_gates_upper:
        return "fails"
    return "open: scores are missing" if gate in score.failed_gates else "holds"


def _numbers(score: RunScore) -> Iterator[list[str]]:
    for name in (
        "aggregate_score",
        "accuracy_mean",
        "accuracy_full_credit_rate",
        "faithfulness_mean",
        "token_efficiency_ratio_mean",
        "tokens_per_correct_answer",
    ):
        yield [name, number(name, getattr(score, name))]
    p50 = UNMEASURED if score.p50_is_infinite else score.latency_e2e_p50_ms
    counts = {
        "latency_e2e_p50_ms": p50,
        "latency_model_p50_ms": score.latency_model_p50_ms,
        "latency_model_p95_ms": score.latency_model_p95_ms,
        "total_input_tokens": _total(score, score.total_input_tokens, "input_tokens"),
        "total_output_tokens": _total(score, score.total_output_tokens, "output_tokens"),
        "total_tokens": _total(score, score.total_tokens, "total_tokens"),
    }
    for name, count in counts.items():
        yield [name, ABSENT if count is None else f"{count:,}" if isinstance(count, int) else count]
    for name, lacking in score.missing.items():
        yield [f"without {name}", str(lacking)]


def _total(score: RunScore, total: int, field: str) -> int | None:
    """A sum over the samples that have the field; none where no sample has."""
    return None if score.missing.get(field) == score.n else total


def _samples(failing: Sequence[SampleScore]) -> Iterator[list[str]]:
    yield ["sample", "accuracy", "faithfulness", "latency ms", "tokens", "score", ""]
    for one in failing[:_SHOWN]:
        sample = one.sample
        name = " ".join(part for part in (sample.run_id, sample.id) if part) or ABSENT
        why = "timed out" if sample.timed_out else "crashed" if sample.crashed else sample.evaluator_error
        why = why or ("" if one.scored else "score missing")
        counts = (sample.accuracy_score, sample.faithfulness_score, one.latency_e2e_ms, sample.total_tokens)
        cells = [ABSENT if count is None else f"{count:,}" for count in counts]
        yield [log_safe(name), *cells, number("sample_score", one.sample_score), log_safe(why)]


def _spread(spread: Spread) -> tuple[str, str]:
    return (
        ABSENT if spread.mean is None else f"{shown(spread.mean):,f}",
        ABSENT if spread.variance is None else f"{root(spread.variance):,f}",
    )


def _aligned(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows as lines, every column as wide as its widest cell; numbers to the right, words to the left."""
    table = list(rows)
    columns = list(zip_longest(*table, fillvalue=""))
    right = [any(cell[:1].isdigit() for cell in column[1:]) or column[0][:1].isdigit() for column in columns[1:]]
    widths = [max(map(len, column)) for column in columns]
    for row in table:
        cells = [row[0].ljust(widths[0])]
        cells += [
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row[1:], widths[1:], right, strict=False)
        ]
        yield f"  {'  '.join(cells)}".rstrip()


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
