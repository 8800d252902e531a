"""The metric `content_filter_contract`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from tapegate.errors import NotJudged
from tapegate.model.finding import Unmet
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.model.task import Outcome, Task
from tapegate.model.trace import Splits, Text, Trace
from tapegate.oracles.excerpt import excerpt, visible
from tapegate.oracles.folding import fold
from tapegate.oracles.oracle import Oracle, problem_at, slot_path
from tapegate.oracles.slot import SlotKind, choices, flag, kept, text, text_list
from tapegate.oracles.tagged import hidden_pieces

MOST = 3
"""Cuts of which a leak is told; the last one says how many more there are."""


class ContentFilterContract(Oracle):
    """What a filter shows of a stream that holds hidden parts, wherever the stream is cut (`AGT-15`).

    What it checks
    --------------
    The answer to a stream fixture: what the user sees when the stream comes in one piece, and again for each of its
    cuts (`setup.chunking: all_splits`). Every condition holds for every cut that was tried.

    Parameters
    ----------
    - `split_invariant` (true or false): every cut gives the same events and the same ending.
    - `visible_text` (text, or `{any_of: [texts]}`): what the user sees, character for character.
    - `visible_excludes` (list of texts or `{any_of: [texts]}`): none of them is seen, in any spelling.
    - `hidden_by_tags` (list of tag names): nothing that the fixture holds between these tags is seen. Tags nest, in any
      case, with or without attributes; one that is never closed hides all that follows. The fixture holds such a tag,
      or `visible_text` says what must be left of one that holds none.

    Why it is deterministic
    -----------------------
    The stream is a file of the project, and its cuts are all there are into up to three pieces, or beyond a size a
    sample drawn by a fixed rule, which a note in the results says. What is hidden is read off the whole fixture by a
    rule of its own, which knows no pieces.

    False positives and how they are kept low
    -----------------------------------------
    Pieces of text compare joined, so that where they are cut makes no difference. Hidden words that also stand outside
    of every tag may be seen. `visible_text` is for fixtures that are made for it; for others the remaining conditions
    ask less.

    False negatives and how they are kept low
    -----------------------------------------
    A filter that shows nothing at all leaks nothing: `visible_text` demands what must be left. Hidden text is looked
    for in runs of eight characters, so that a leak of fewer is seen only where it is a whole part. Beyond the size
    some cuts are not tried; a shorter fixture has them all.

    Example task
    ------------
    ```yaml
    mode: stream_fixture
    setup:
      stream: nested_thinking
      chunking: all_splits
    expect:
      accepted_outcomes:
        - required_slots:
            split_invariant: true
            visible_text: The answer is 4.
            hidden_by_tags: [thinking, private]
    grading:
      deterministic_metrics: [content_filter_contract]
    ```

    Example finding
    ---------------
    ```text
    content_filter_contract hidden_shown: the user sees what the fixture hides, cut at byte 12
      expected: nothing of what stands between 'thinking' tags
      got: the user wants a number. The answer is 4.
    ```
    """

    name = "content_filter_contract"
    version = 2
    codes: ClassVar[Mapping[str, str]] = {
        "split_changes_answer": "Where the stream is cut changes what comes of it.",
        "visible_text_differs": "The user sees another text than the one that must be left.",
        "excluded_shown": "The user sees a text that must not be shown.",
        "hidden_shown": "The user sees what the fixture holds between hidden tags.",
        "nothing_hidden": "The fixture holds nothing between the tags, so that nothing could be seen.",
        "nothing_cut": "The fixture is too short to be cut, so that no cut could change anything.",
    }
    invariants: ClassVar[Mapping[str, str]] = {}

    slots: ClassVar[Mapping[str, SlotKind]] = {
        "split_invariant": flag("True: every cut of the stream gives the same events and the same ending."),
        "visible_text": text("What the user sees, exactly: a text or `{any_of: [texts]}`."),
        "visible_excludes": text_list("What the user does not see: a list of texts or `{any_of: [texts]}`."),
        "hidden_by_tags": SlotKind(
            "Names of the tags between which nothing is seen: a list of texts.",
            text_list("").flaws,
            loosens=kept,
        ),
    }

    def unmet(self, index: int, outcome: Outcome, task: Task, trace: Trace) -> Iterator[Unmet]:
        """The conditions that do not hold, uncut or for some cut."""
        slots = outcome.required_slots
        if not any(self.slots[slot].demands(slots[slot]) for slot in slots if slot in self.slots):
            return
        if trace.splits is None:
            raise NotJudged.of(
                "no_evidence", "the trace holds no stream fixture, though the task asks for what a filter shows of it"
            )
        if slots.get("split_invariant") and not trace.splits.tried:
            message = "the fixture is too short to be cut: whether cuts change anything, nobody tried"
            yield Unmet("nothing_cut", message, slot_path(index, "split_invariant"), "a fixture of two bytes or more")
        elif slots.get("split_invariant"):
            yield from _variants(trace.splits, slot_path(index, "split_invariant"))
        seen = {trace.text: ""}
        for variant in trace.splits.variants:
            shown = "".join(event.text for event in variant.events if isinstance(event, Text))
            seen.setdefault(shown, f", cut at {_places(variant.cuts)}")
        found: list[Unmet] = []
        for shown, where in seen.items():
            found += _shown(index, outcome, trace.splits, shown, where)
        for code in self.codes:
            same = [one for one in found if one.code == code]
            yield from same[:MOST]
            if len(same) > MOST:
                yield Unmet(code, f"and {len(same) - MOST} more cuts with the same fault", same[0].path)

    def problems(self, task: Task) -> Iterator[Problem]:
        """Conditions on cuts where no stream is cut."""
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            for slot in self.slots:
                if slot in outcome.required_slots and task.mode != "stream_fixture":
                    message = f"{slot!r} is of a stream fixture, and the mode is {task.mode!r}"
                    path = slot_path(index, slot)
                    yield problem_at(task, path, "unreachable_outcome", message, "write mode: stream_fixture")
            if outcome.required_slots.get("split_invariant") and task.setup.chunking != "all_splits":
                message = "'split_invariant' needs a stream that is cut, and setup.chunking does not say so"
                path = slot_path(index, "split_invariant")
                yield problem_at(task, path, "vacuous_slot", message, "write chunking: all_splits under setup")


def _variants(splits: Splits, path: Path) -> Iterator[Unmet]:
    for variant in splits.variants[:MOST]:
        shown = "".join(event.text for event in variant.events if isinstance(event, Text))
        message = f"cut at {_places(variant.cuts)}, the stream gives something else than in one piece"
        got = f"{visible(shown[:96])} ({len(variant.events)} events, {variant.ending.kind})"
        yield Unmet("split_changes_answer", message, path, "the same for every cut", got, final=False)
    if len(splits.variants) > MOST:
        message = f"and {len(splits.variants) - MOST} more answers that differ"
        yield Unmet("split_changes_answer", message, path, final=False)


def _shown(index: int, outcome: Outcome, splits: Splits, shown: str, where: str) -> Iterator[Unmet]:
    slots = outcome.required_slots
    wanted = choices(slots["visible_text"]) if "visible_text" in slots else ()
    if wanted and shown not in wanted:
        message = f"the user sees another text than the one that must be left{where}"
        expected = " or ".join(visible(one) for one in wanted)
        path, got = slot_path(index, "visible_text"), visible(shown[:200])
        yield Unmet("visible_text_differs", message, path, expected, got, final=False)
    folded = fold(shown)
    for place, entry in enumerate(slots.get("visible_excludes", ())):
        for one in choices(entry):
            start = folded.text.casefold().find(fold(one).text.casefold())
            if start >= 0:
                got = excerpt(shown, *folded.origin(start, start + len(one)))
                message = f"the user sees {visible(one)!r}, which must not be shown{where}"
                path = slot_path(index, "visible_excludes", place)
                yield Unmet("excluded_shown", message, path, "no such text", got)
    tags = [name for entry in slots.get("hidden_by_tags", ()) for name in choices(entry)]
    hidden = hidden_pieces(splits.source.decode("utf-8", "replace"), tags) if tags else None
    # Where the text that must be left is told, a fixture without tags shows that a filter hides no more than it should.
    if hidden is not None and not hidden.tagged and not wanted:
        expected = f"a fixture with {' or '.join(map(repr, tags))} tags, or what must be left in visible_text"
        message = "the fixture holds none of the tags, so that a filter that hides nothing would pass"
        yield Unmet("nothing_hidden", message, slot_path(index, "hidden_by_tags"), expected)
    elif hidden is not None and (span := hidden.seen_in(shown)) is not None:
        message = f"the user sees what the fixture hides{where}"
        expected = f"nothing of what stands between {' or '.join(map(repr, tags))} tags"
        yield Unmet("hidden_shown", message, slot_path(index, "hidden_by_tags"), expected, excerpt(shown, *span))


def _places(cuts: tuple[int, ...]) -> str:
    return f"{'byte' if len(cuts) == 1 else 'bytes'} {' and '.join(map(str, cuts))}"
