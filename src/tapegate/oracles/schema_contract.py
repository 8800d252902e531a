"""The metric `schema_contract`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from tapegate.model.finding import Unmet
from tapegate.model.problem import Problem
from tapegate.model.task import Outcome, Task
from tapegate.model.trace import Trace
from tapegate.oracles import facts
from tapegate.oracles.excerpt import visible
from tapegate.oracles.oracle import Oracle, problem_at, slot_path
from tapegate.oracles.sentences import sentences
from tapegate.oracles.slot import SlotKind, at_most, choices, text


class SchemaContract(Oracle):
    """What the answer says and which shape it has: facts in any wording, its length, how it begins.

    What it checks
    --------------
    The whole text that the user sees. A fact is stated when one of its wordings stands there as whole words and whole
    numbers; case, accents, emphasis, dashes or spaces between words, and thousands separators make no difference.

    Parameters
    ----------
    - `facts` (list of `{name, any_of: [wordings], all: [wordings]}`; `any_of`, `all` or both): of `any_of` one wording
      is stated, of `all` every one. A wording between slashes, `/0\\.9[12]/`, is an RE2 pattern over the text as it is.
    - `sentences_max` (number of sentences, from 1 up): the answer has at most so many.
    - `prefix` (text, or `{any_of: [texts]}`): the answer begins with it, character for character.

    Why it is deterministic
    -----------------------
    Text is compared after fixed rewriting rules; there is no similarity score, no model and no locale.

    False positives and how they are kept low
    -----------------------------------------
    A fact in words that nobody foresaw counts as missing: list synonyms, or a pattern. Sentence ends are fixed rules
    for English prose and Markdown lists; abbreviations, initials and decimal points end none.

    False negatives and how they are kept low
    -----------------------------------------
    A fact that is denied (`not 92%`) counts as stated: a wording that includes the verb, or a forbidden pattern, tells
    them apart. Numbers match as wholes, with their sign: 92 is not found in 1,992, 92.5 or -92.

    Example task
    ------------
    ```yaml
    accepted_outcomes:
      - required_slots:
          facts:
            - name: sample size
              any_of: ["12,500 abstracts", "12.5k abstracts", "/(?i)twelve and a half thousand/"]
          sentences_max: 6
    grading:
      deterministic_metrics: [schema_contract]
    ```

    Example finding
    ---------------
    ```text
    schema_contract fact_missing: the answer does not state the fact 'sample size'
      expected: 12,500 abstracts or 12.5k abstracts or /(?i)twelve and a half thousand/
      got: The corpus has 1,250 abstracts.
    ```
    """

    name = "schema_contract"
    version = 1
    codes: ClassVar[Mapping[str, str]] = {
        "fact_missing": "The answer does not state a fact that it must state.",
        "too_many_sentences": "The answer has more sentences than allowed.",
        "prefix_missing": "The answer does not begin as it must.",
    }
    invariants: ClassVar[Mapping[str, str]] = {}

    slots: ClassVar[Mapping[str, SlotKind]] = {
        "facts": facts.FACTS,
        "sentences_max": at_most("The answer has at most so many sentences.", least=1),
        "prefix": text("The answer begins with it: a text or `{any_of: [texts]}`."),
    }

    def unmet(self, index: int, outcome: Outcome, task: Task, trace: Trace) -> Iterator[Unmet]:
        """The facts that are not stated, and the limits that are not kept."""
        slots, answer = outcome.required_slots, trace.text
        for place, fact in enumerate(slots.get("facts", ())):
            missing = facts.missing(fact, answer)
            if missing:
                yield Unmet(
                    "fact_missing",
                    f"the answer does not state the fact {fact['name']!r}",
                    slot_path(index, "facts", place),
                    expected=missing,
                    got=_start(answer),
                    final=False,
                )
        most = slots.get("sentences_max")
        if most is not None and (count := len(sentences(answer))) > most:
            message = f"the answer has {count} sentences, at most {most} allowed"
            path = slot_path(index, "sentences_max")
            yield Unmet("too_many_sentences", message, path, expected=f"at most {most}", got=str(count))
        prefixes = choices(slots["prefix"]) if "prefix" in slots else ()
        if prefixes and not answer.startswith(tuple(prefixes)):
            yield Unmet(
                "prefix_missing",
                "the answer does not begin as it must",
                slot_path(index, "prefix"),
                expected=" or ".join(visible(prefix) for prefix in prefixes),
                got=_start(answer),
                final=not any(prefix.startswith(answer) for prefix in prefixes),
            )

    def problems(self, task: Task) -> Iterator[Problem]:
        """Two facts of one name in an outcome."""
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            names = facts.names(outcome.required_slots.get("facts", ()))
            for place, name in enumerate(names):
                if name in names[:place]:
                    message = f"two facts are named {name!r}; a report could not tell them apart"
                    yield problem_at(task, slot_path(index, "facts", place, "name"), "duplicate_entry", message)


def _start(answer: str) -> str:
    return visible(answer[:96]) + ("…" if len(answer) > 96 else "") if answer else "no text"
