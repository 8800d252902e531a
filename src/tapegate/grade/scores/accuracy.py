"""The deterministic accuracy score (rubric §1.1): how much of an accepted outcome the answer has.

What is counted are the slots of an outcome (each fact and each listed citation by itself), and the facts that
`grading.quality` wants from a complete answer. Which tools were called takes no part: that is the verdict's affair, so
that a right answer by a forbidden way scores 2 and fails. For each accepted outcome

- 2, fully correct: every slot is met and every fact stated;
- 1, partially correct: at least one fact is stated; of an outcome that wants no facts, at least half of the slots are
  met;
- 0, incorrect or non-responsive: less than that, or an answer without a letter or digit that leaves anything unmet.

An outcome without slots is the expected behaviour itself: 2 where all of it holds, else 0. The best outcome counts.
None: a metric crashed over an outcome that might have been better.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tapegate.grade.outcomes import Judged
from tapegate.model.finding import Unmet
from tapegate.model.outcome import Outcome, Shape
from tapegate.model.source import Path
from tapegate.model.task import QualityFact, Task
from tapegate.model.trace import Json, Trace
from tapegate.oracles.facts import missing
from tapegate.oracles.oracle import Oracle, outcome_path
from tapegate.oracles.turns import claims

FACTS = "facts"


def accuracy(task: Task, trace: Trace, judged: Judged, oracles: Sequence[Oracle]) -> tuple[int | None, tuple[str, ...]]:
    """The score of one trial, and a note for each thing that the best outcome lacks."""
    responsive = any(char.isalnum() for char in trace.text)
    claimed = {path for oracle in oracles for path in claims(oracle, task)}
    lacking = [fact.name for fact in task.grading.quality.facts if missing(_slot(fact), trace.text)]
    told = judged.holding or 0
    best, notes = 0, tuple(_notes(told, judged.unmet[told], lacking))
    for index, outcome in enumerate(task.expect.accepted_outcomes):
        unmet = judged.unmet[index]
        if index in judged.unknown:
            continue
        wanted = [place for place in _conditions(index, outcome) if place[: _slot_at(place) + 1] in claimed]
        score = _score(wanted, unmet, lacking, len(task.grading.quality.facts))
        if unmet and not responsive:
            score = 0
        if score > best:
            best, notes = score, tuple(_notes(index, unmet, lacking))
    if best < 2 and judged.unknown:
        return None, ("accuracy: a metric crashed over an accepted outcome",)
    return best, () if best == 2 else notes or ("accuracy: no accepted outcome holds",)


def _score(wanted: Sequence[Path], unmet: Sequence[Unmet], lacking: Sequence[str], more: int) -> int:
    """`wanted` are the places of an outcome's conditions, `more` is the number of facts wanted beside them."""
    if not wanted and not more:
        return 0 if unmet else 2
    met = [not any(_touches(one.path, place) for one in unmet) for place in wanted]
    if all(met) and not lacking:
        return 2
    facts = [holds for place, holds in zip(wanted, met, strict=True) if place[_slot_at(place)] == FACTS]
    if facts or more:
        return 1 if any(facts) or len(lacking) < more else 0
    return 1 if 2 * sum(met) >= len(met) else 0


def _touches(unmet: Path, place: Path) -> bool:
    """Whether what is said of one place is said of the other: of it, of something in it, or of the list it is in."""
    shorter = min(len(unmet), len(place))
    return shorter > _slot_at(place) and unmet[:shorter] == place[:shorter]


def _slot_at(place: Path) -> int:
    """Where in a condition's place the name of its slot stands."""
    return place.index("required_slots") + 1


def _conditions(index: int, outcome: Outcome) -> Iterator[Path]:
    """The place of each thing that an outcome's slots want; a list wants each of its entries."""
    yield from _wants(outcome_path(index), outcome)
    for place, turn in enumerate(outcome.turns):
        yield from _wants(outcome_path(index, "turns", place), turn)


def _wants(above: Path, shape: Shape) -> Iterator[Path]:
    for slot, value in shape.required_slots.items():
        path = (*above, "required_slots", slot)
        if isinstance(value, list | tuple) and value:
            yield from ((*path, place) for place in range(len(value)))
        else:
            yield path


def _notes(index: int, unmet: Sequence[Unmet], lacking: Sequence[str]) -> Iterator[str]:
    outcome = outcome_path(index)
    for one in unmet:
        if one.path[: len(outcome)] == outcome and "required_slots" in one.path:
            yield f"accuracy: {one.message}"
    for name in lacking:
        yield f"accuracy: the answer does not state {name!r}, which a complete one does"


def _slot(fact: QualityFact) -> dict[str, Json]:
    """The fact as an entry of the slot `facts`."""
    return {"name": fact.name, "any_of": fact.any_of, "all": fact.all}
