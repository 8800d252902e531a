"""`docs/metrics.md`: every metric's docstring with its codes, and the invariants in one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tapegate.oracles.catalog import invariants
from tapegate.oracles.manual import SECTIONS, manual
from tapegate.oracles.oracle import HELD_ALWAYS, Oracle

HEAD = """\
# Metrics

Every expectation of a task belongs to one metric, and a task declares each metric that it uses under
`grading.deterministic_metrics`. A metric is a deterministic check of a recorded trace: it calls no model, reads no
clock and sees no other task. This page is written from the docstrings of the metrics (`tapegate metrics --page`); a
test holds it to them. `tapegate metrics` lists the ones that a project has, its own among them.

Values of arguments, JSON, rows and columns are *expectations*: [expectations.md](expectations.md).
"""

OWN = """\
## Metrics of your own

A Python file in `evals/oracles` holds classes derived from `tapegate.oracles.oracle.Oracle`; a package names its
classes under the entry point `tapegate.metrics`. They are held to the rules of the built-in ones, and one that breaks a
rule stops the run, with all that is wrong with it:

- a docstring that begins with a summary and has these sections, each underlined with dashes:
  {sections};
- `name` (snake_case), `version` (a whole number from 1 up, raised when the same trace may be judged otherwise),
  `codes`, `slots` and `invariants`, each with a line on what it means;
- `by_turn = True` only where its conditions look at nothing but what a turn says and calls: then `turns` of an outcome
  can ask them of a single answer;
- `cases`: at least three fixture tests (`tapegate.oracles.case.Case`: a name, parts of a task, a trace, the codes that
  must be found), one of them in which nothing is found, and one for each code. They run whenever the metric is loaded;
- no name, slot or invariant that another metric has.

Such a metric runs in the harness, as the tests of the project do, and not in the subject's enclosure: in a pull
request it is code of that pull request.

```python
class WordCount(Oracle):
    \"\"\"How many words the answer has. … (sections)\"\"\"

    name = "word_count"
    version = 1
    codes = {{"too_many_words": "The answer has more words than allowed."}}
    slots = {{"words_max": at_most("The answer has at most so many words.", least=1)}}
    invariants = {{}}
    cases = (
        Case("few", {{"expect": {{"accepted_outcomes": [{{"required_slots": {{"words_max": 2}}}}]}}}}, said("One two")),
        …
    )

    def unmet(self, index, outcome, task, trace):
        …
```
"""


def page(catalog: Sequence[Oracle]) -> str:
    """The whole page, in Markdown."""
    return "\n".join([HEAD, *_invariants(catalog), *(line for oracle in catalog for line in _metric(oracle)), _own()])


def _own() -> str:
    return OWN.format(sections=",\n  ".join(f"*{title}*" for title in SECTIONS))


def _invariants(catalog: Sequence[Oracle]) -> Iterator[str]:
    yield "## Invariants"
    yield ""
    yield "Hard gates: a task names those that must hold under `expect.required_invariants`. One that is broken fails"
    yield "the task whatever else holds; no tolerance, no judge and no accepted outcome softens it."
    yield ""
    yield "| invariant | holds where | metric |"
    yield "| --- | --- | --- |"
    owners = {name: f"`{oracle.name}`" for oracle in catalog for name in oracle.invariants}
    for name, line in invariants(catalog).items():
        yield f"| `{name}` | {line} | {owners.get(name, 'held of every trial' if name in HELD_ALWAYS else '')} |"
    yield ""


def _metric(oracle: Oracle) -> Iterator[str]:
    sections = manual(oracle)
    yield f"## {oracle.name}"
    yield ""
    yield f"{sections['']}"
    yield ""
    yield f"Version {oracle.version}."
    yield ""
    for title in SECTIONS:
        yield f"### {title}"
        yield ""
        yield sections[title]
        yield ""
    yield "### What it reports"
    yield ""
    yield "| code | meaning |"
    yield "| --- | --- |"
    yield from (f"| `{code}` | {line} |" for code, line in oracle.codes.items())
    yield ""
