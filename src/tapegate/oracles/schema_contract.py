"""The metric `schema_contract`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import ge
from typing import Any, ClassVar

from tapegate.load.suggest import did_you_mean
from tapegate.model.finding import Unmet
from tapegate.model.problem import Problem
from tapegate.model.task import Outcome, Task
from tapegate.model.trace import Json, Trace
from tapegate.oracles import answer_json, facts, json_schema, stated_dates, stated_lists, stated_numbers
from tapegate.oracles.excerpt import visible
from tapegate.oracles.language import KNOWN, language
from tapegate.oracles.oracle import Oracle, problem_at, slot_path
from tapegate.oracles.sentences import sentences
from tapegate.oracles.slot import Flaw, SlotKind, at_least, at_most, bad, choices, flag, text

_LANGUAGES = text("")


def _language_flaws(value: Json) -> Iterator[Flaw]:
    unfit = list(_LANGUAGES.flaws(value))
    yield from unfit
    for code in () if unfit else choices(value):
        if code not in KNOWN:
            yield bad(code, f"a language that can be told ({did_you_mean(code, KNOWN)})")


class SchemaContract(Oracle):
    """What the answer says and which shape it has: facts, numbers, dates, lists, JSON, length and language.

    What it checks
    --------------
    The whole text that the user sees. A fact is stated when one of its wordings stands there as whole words and whole
    numbers; case, accents, emphasis, dashes or spaces between words, and thousands separators make no difference.

    Parameters
    ----------
    - `facts` (list of `{name, any_of: [wordings], all: [wordings]}`; `any_of`, `all` or both): of `any_of` one wording
      is stated, of `all` every one. A wording between slashes, `/0\\.9[12]/`, is an RE2 pattern over the text as it is.
    - `numbers` (list of `{name, value, abs, rel, units, with}`): a number within `abs` or `rel` of `value` is stated,
      ends included. `units` maps each unit it may be written in to what one of it is in that of `value`
      (`{km: 1, m: 0.001}`); `with` (wording, or a list of them) asks for it in the same sentence.
    - `dates` (list of `{name, date, within_days}`; `date` as 2026-11-20): a day within so many days is stated, as
      `2026-11-20`, `20.11.2026`, `20 November 2026` or `November 20, 2026`. `11/20/2026` is no day: readers disagree.
    - `lists` (list of `{name, items, order, others}`): the items of the answer's bulleted and numbered lists say each
      entry of `items` (a wording, or `{any_of: [wordings]}`), one each; `order` is `any` or `given` (default `any`),
      `others` is `allowed` or `none` (default `allowed`).
    - `json` (path → expectation): the answer is JSON, and what stands at each path (`$`, `items[0].name`,
      `items[*].id`) is as expected. `json_schema` (a JSON Schema, draft 2020-12): the answer is JSON and meets it.
      `json_fenced` (true or false): it may be prose around one fenced block, which is the JSON.
    - `language` (ISO 639-1 code, or `{any_of: [codes]}`): the answer is in this language. Code and links do not count.
    - `sentences_min`, `sentences_max` (numbers of sentences; the maximum from 1 up).
    - `prefix` (text, or `{any_of: [texts]}`): the answer begins with it, character for character.
    - `tolerances` widens the limits of sentences, `numbers.NAME` and `dates.NAME` (`abs` in days).

    Why it is deterministic
    -----------------------
    Text is compared after fixed rewriting rules, numbers as exact fractions; there is no similarity score, no model and
    no locale. A language is told by its script and a fixed list of small words. Patterns in a JSON Schema are RE2.

    False positives and how they are kept low
    -----------------------------------------
    A fact in words that nobody foresaw counts as missing: list synonyms, or a pattern. Sentence ends are fixed rules
    for English prose and Markdown lists; abbreviations, initials and decimal points end none. A number written out in
    words is a fact, not a number. An answer of a few words is in no language that could be told: demand `language` of
    answers of a sentence or more.

    False negatives and how they are kept low
    -----------------------------------------
    A fact that is denied (`not 92%`) counts as stated: a wording that includes the verb, or a forbidden pattern, tells
    them apart. Numbers match as wholes, with their sign: 92 is not found in 1,992, 92.5 or -92. A number that happens
    to stand there for something else counts, unless `units` or `with` says what it is about. JSON is read strictly:
    a duplicate key or a second value is no JSON.

    Example task
    ------------
    ```yaml
    accepted_outcomes:
      - required_slots:
          facts:
            - name: sample size
              any_of: ["12,500 abstracts", "12.5k abstracts", "/(?i)twelve and a half thousand/"]
          numbers:
            - {name: cooling, value: 3.6, abs: 0.05, units: {degrees: 1, "°C": 1, K: 1}, with: [cooler, cooling]}
          language: en
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
    version = 3
    codes: ClassVar[Mapping[str, str]] = {
        "fact_missing": "The answer does not state a fact that it must state.",
        "number_missing": "The answer does not state a number that it must state.",
        "date_missing": "The answer does not state a day that it must state.",
        "list_differs": "The answer does not give a list as it must.",
        "not_json": "The answer is not JSON.",
        "json_differs": "A place of the answer's JSON is not what is expected.",
        "schema_broken": "The answer's JSON does not meet the schema.",
        "other_language": "The answer is in another language.",
        "too_few_sentences": "The answer has fewer sentences than expected.",
        "too_many_sentences": "The answer has more sentences than allowed.",
        "prefix_missing": "The answer does not begin as it must.",
    }
    invariants: ClassVar[Mapping[str, str]] = {}

    by_turn = True
    slots: ClassVar[Mapping[str, SlotKind]] = {
        "facts": facts.FACTS,
        "numbers": stated_numbers.NUMBERS,
        "dates": stated_dates.DATES,
        "lists": stated_lists.LISTS,
        "json": answer_json.JSON,
        "json_schema": answer_json.JSON_SCHEMA,
        "json_fenced": SlotKind(
            "True: the JSON may stand in one fenced block.", flag("").flaws, demands=lambda _: False, loosens=ge
        ),
        "language": SlotKind("The language of the answer: an ISO 639-1 code or `{any_of: [codes]}`.", _language_flaws),
        "sentences_min": at_least("The answer has at least so many sentences."),
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
        yield from _stated(index, slots, answer)
        yield from _as_json(index, slots, answer)
        if "language" in slots and (found := language(answer)) not in (wanted := choices(slots["language"])):
            message = f"the answer is in {found or 'no language that could be told'!r}"
            path = slot_path(index, "language")
            yield Unmet("other_language", message, path, " or ".join(wanted), _start(answer), final=False)
        count = len(sentences(answer)) if {"sentences_min", "sentences_max"} & set(slots) else 0
        most, least = slots.get("sentences_max"), slots.get("sentences_min", 0)
        if most is not None and count > most:
            message = f"the answer has {count} sentences, at most {most} allowed"
            path = slot_path(index, "sentences_max")
            yield Unmet("too_many_sentences", message, path, expected=f"at most {most}", got=str(count))
        if count < least:
            message = f"the answer has {count} {'sentence' if count == 1 else 'sentences'}, at least {least} expected"
            path = slot_path(index, "sentences_min")
            yield Unmet("too_few_sentences", message, path, expected=f"at least {least}", got=str(count), final=False)
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
        """Two facts of one name in an outcome, a minimum over its maximum, a fence around nothing."""
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            slots = outcome.required_slots
            least, most = slots.get("sentences_min", 0), slots.get("sentences_max")
            if most is not None and least > most:
                message = f"sentences_min {least} is more than sentences_max {most}"
                yield problem_at(task, slot_path(index, "sentences_min"), "unreachable_outcome", message)
            if "json_fenced" in slots and not {"json", "json_schema"} & set(slots):
                message = "'json_fenced' does nothing without 'json' or 'json_schema'"
                yield problem_at(task, slot_path(index, "json_fenced"), "vacuous_slot", message)
            names = facts.names(outcome.required_slots.get("facts", ()))
            for place, name in enumerate(names):
                if name in names[:place]:
                    message = f"two facts are named {name!r}; a report could not tell them apart"
                    yield problem_at(task, slot_path(index, "facts", place, "name"), "duplicate_entry", message)


def _stated(index: int, slots: Mapping[str, Any], answer: str) -> Iterator[Unmet]:
    """The numbers, dates and lists that are not there."""
    for place, entry in enumerate(slots.get("numbers", ())):
        others = stated_numbers.missing(entry, answer)
        if others is not None:
            message = f"the answer does not state the number {entry['name']!r}"
            path, expected = slot_path(index, "numbers", place), stated_numbers.expected(entry)
            yield Unmet("number_missing", message, path, expected, _some(others, "no number"), final=False)
    for place, entry in enumerate(slots.get("dates", ())):
        days = stated_dates.missing(entry, answer)
        if days is not None:
            message = f"the answer does not state the day {entry['name']!r}"
            path, expected = slot_path(index, "dates", place), stated_dates.expected(entry)
            yield Unmet("date_missing", message, path, expected, _some(days, "no day"), final=False)
    for place, entry in enumerate(slots.get("lists", ())):
        wrong = stated_lists.missing(entry, answer)
        if wrong is not None:
            message = f"the answer does not give the list {entry['name']!r} as it must"
            path = slot_path(index, "lists", place)
            yield Unmet("list_differs", message, path, visible(wrong[0]), visible(wrong[1][:200]), final=False)


def _as_json(index: int, slots: Mapping[str, Any], answer: str) -> Iterator[Unmet]:
    """What is wrong with the answer as JSON."""
    first = next((slot for slot in ("json", "json_schema") if slot in slots), None)
    if first is None:
        return
    try:
        value = answer_json.parsed(answer, fenced=bool(slots.get("json_fenced")))
    except answer_json.NoJson as error:
        message = f"the answer is not JSON: {visible(str(error)[:160])}"
        yield Unmet("not_json", message, slot_path(index, first), "JSON and nothing else", _start(answer), final=False)
        return
    for path, expected in slots.get("json", {}).items():
        wrong = answer_json.wrong_at(path, expected, value)
        if wrong is not None:
            message = f"{visible(answer_json.said(path, wrong))} of the answer's JSON is not what is expected"
            yield Unmet("json_differs", message, slot_path(index, "json", path), wrong.expected, wrong.got, final=False)
    if "json_schema" in slots and (broken := json_schema.broken(slots["json_schema"], value)) is not None:
        message = "the answer's JSON does not meet the schema"
        yield Unmet("schema_broken", message, slot_path(index, "json_schema"), *broken, final=False)


def _some(entries: Sequence[str], none: str) -> str:
    more = f" and {len(entries) - 8} more" if len(entries) > 8 else ""
    return visible(", ".join(entries[:8])) + more if entries else none


def _start(answer: str) -> str:
    return visible(answer[:96]) + ("…" if len(answer) > 96 else "") if answer else "no text"
