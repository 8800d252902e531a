"""The deterministic faithfulness score (rubric §1.2): every fact of the answer, held against what the agent read.

A claim is a paragraph with its citations (`claims`; of an answer in JSON each of its sentences), a fact a number with
its unit, an identifier, a quotation or a name (`facts`), and what the agent read is the tool results of the trial and
what its requests told the model as a user does (`sources`). Facts that the user's own message holds are grounded. Then

- 0, materially unfaithful: a citation of something that no tool result of the trial holds; a number, an identifier or a
  quotation under a citation that neither the cited text nor anything else that was read holds; or more numbers,
  identifiers and quotations without support than facts with it.
- 1, mostly faithful: some fact has no support where it claims to have it. It stands in another text than the one cited;
  or it has no citation, and nothing that was read holds it; or it is a name that is found nowhere. Or a citation is
  malformed, so that nobody can look up what it stands for.
- 2: every fact is supported. An answer without facts claims nothing, and is faithful.
- None: a tool was called, or calls of models cannot be read, and no tool result is in the trace; or an answer in JSON
  passes on what a tool returned, and no request shows that in full.

What it cannot see: a claim without any fact of these kinds, a denial (`not 92 percent`), two numbers exchanged between
two sentences of the same source. Numbers in words count as words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tapegate.grade.scores.claims import Claim, claims, structured
from tapegate.grade.scores.facts import Fact, facts
from tapegate.grade.scores.sources import Sources
from tapegate.model.trace import Trace
from tapegate.oracles.excerpt import visible

_SHOWN = 60
NOTED = 6
"""Notes of one trial; beyond them their number says enough."""


@dataclass(slots=True)
class _Count:
    supported: int = 0
    unsupported: int = 0
    """Facts that are no names, without support."""
    material: list[str] = field(default_factory=list)
    minor: list[str] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)


def faithfulness(question: str, trace: Trace) -> tuple[int | None, tuple[str, ...]]:
    """The score of one trial's answer to `question`, and a note for everything that speaks against it."""
    sentences = structured(trace.text)
    said = claims(trace.text) if sentences is None else [claim for one in sentences for claim in claims(one)]
    found = [(claim, facts(claim.text)) for claim in said]
    if not any(claim.links or stated for claim, stated in found):
        return 2, ()
    sources = Sources(trace, question)
    if not sources.any and (trace.tool_calls or not any(call.model is not None for call in trace.exchanges)):
        return None, ("faithfulness: no tool result is in the trace, so that nothing shows what the agent read",)
    count = _Count()
    for claim, stated in found:
        _weigh(claim, stated, sources, question, count)
    notes = tuple(_notes([*count.material, *count.minor, *count.dead]))
    if notes and sentences is not None and trace.tool_calls and not trace.given:
        return None, ("faithfulness: the answer passes on what a tool returned, and no request shows that in full",)
    if count.material or count.unsupported > count.supported:
        return 0, notes
    return (1 if count.minor or count.dead else 2), notes


def _notes(found: list[str]) -> Iterator[str]:
    known = list(dict.fromkeys(found))
    yield from (f"faithfulness: {note}" for note in known[:NOTED])
    if len(known) > NOTED:
        yield f"faithfulness: and {len(known) - NOTED} more of the kind"


def _weigh(claim: Claim, stated: list[Fact], sources: Sources, question: str, count: _Count) -> None:
    cited = list(_texts(claim, sources, count))
    leading = [link for link in claim.links if link.kind != "malformed"]
    named = " and ".join(dict.fromkeys(link.address for link in claim.links))
    for fact in stated:
        shown = repr(visible(fact.shown[:_SHOWN]))
        if fact.held_by(question) or any(fact.held_by(text) for text in cited):
            count.supported += 1
        elif fact.held_by(sources.everything):
            if leading:
                count.unsupported += fact.hard
                count.minor.append(f"{shown} was read, but not in {named}, which is cited for it")
            else:
                count.supported += 1
        elif claim.links and fact.hard:
            count.material.append(f"{shown} stands under a citation of {named} and in nothing that was read")
        else:
            count.unsupported += fact.hard
            count.minor.append(f"{shown} stands in nothing that was read")


def _texts(claim: Claim, sources: Sources, count: _Count) -> Iterator[str]:
    for link in claim.links:
        text = sources.about(link) if link.kind != "malformed" else None
        if link.kind == "malformed":
            count.dead.append(f"the citation {visible(link.target[:_SHOWN])!r} leads to no source: {link.reason}")
        elif text is None:
            count.material.append(f"the answer cites {visible(link.address)}, which no tool result of the trial holds")
        else:
            yield text
