"""A run's readiness in one line."""

from __future__ import annotations

from tapegate.model.rubric import RunScore

WORDS = {"ready": "ready", "not_ready": "not ready", "inconclusive": "inconclusive", "no_data": "no data"}


def headline(score: RunScore) -> str:
    """`release readiness: not ready (pass_rate) · 20 samples, 19 scored`."""
    gates = score.failed_gates_upper if score.verdict == "not_ready" else score.failed_gates
    why = f" ({', '.join(gates)})" if gates else ""
    said = f"release readiness: {WORDS[score.verdict]}{why} · {score.n:,} sample{'' if score.n == 1 else 's'}"
    if score.n_scored != score.n:
        said += f", {score.n_scored:,} scored"
    return said + (" · fewer than 20" if score.low_n and score.n else "")
