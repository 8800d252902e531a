"""The metric `citation_contract`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from tapegate.model.finding import Unmet
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.model.task import Outcome, Task
from tapegate.model.trace import Json, Trace
from tapegate.oracles.excerpt import visible
from tapegate.oracles.folding import fold
from tapegate.oracles.known_pages import known_pages
from tapegate.oracles.known_papers import known_papers
from tapegate.oracles.links import Link, links, shown
from tapegate.oracles.oracle import Oracle, outcome_path, problem_at, slot_path
from tapegate.oracles.slot import SlotKind, at_least, at_most, choices, flag, text_list, texts

_EXISTENCE = ("citations_local_exist", "citations_known")
_LEAST = ("citations_local_min", "citations_web_min")
_UNSEEN = "it has no label, so that nobody sees it"
_NOUNS = {"local": ("paper of the library", "papers of the library"), "web": ("page of the web", "pages of the web")}


class CitationContract(Oracle):
    """What the answer cites: papers of the library as `/paper/{id}`, and pages of the web.

    What it checks
    --------------
    The links of the text that the user sees: Markdown links, autolinks, and addresses that stand by themselves.
    `/paper/{id}` is a local citation, `http(s)://` and `www.` are web citations; images, anchors and other pages of
    the application are none. Each paper and each page counts once, however often it is cited. An outcome that has
    any of these slots also demands that no citation is malformed (`/papers/x`, `/paper/`, a file path, a server on
    this machine, a link without a label) and that no label shows another address than the one its link leads to.
    What stands in an HTML comment is shown to nobody, and cites nothing.

    Parameters
    ----------
    - `citations_local_min`, `citations_local_max` (number of distinct papers, from 0 up, both included).
    - `citations_web_min`, `citations_web_max` (number of distinct addresses, from 0 up, both included).
    - `citations_local_exist` (true or false): every paper cited exists, as a tool result of this trial or
      `citations_known` shows.
    - `citations_web_exist` (true or false): every address cited stands in a successful tool result of this trial.
    - `citations_known` (list of paper ids): papers that exist beside those which tools returned.
    - `citations_local_include` (list; an entry is a paper id, or `{any_of: [ids]}`): each entry is cited.

    Why it is deterministic
    -----------------------
    Links are found by fixed rules in the joined text, so chunk boundaries do not matter; existence is known from the
    trace and the task alone. Nothing is fetched.

    False positives and how they are kept low
    -----------------------------------------
    Punctuation and unbalanced brackets after an address are not part of it; query and fragment after an id are
    allowed; a relative link counts as malformed only where it looks like a paper or a file. Addresses in code blocks
    count as well: a task about code leaves the maxima away.

    False negatives and how they are kept low
    -----------------------------------------
    A right link under a wrong claim passes: `facts` of `schema_contract` judges claims. An id counts as existing when
    a successful tool result holds it under an id key or as `/paper/{id}`, so a tool that invents papers is believed;
    `citations_local_include` names the paper that must be there. So does an address of the web that a tool returned,
    in any text; only host and path are compared, so that `http://` for `https://` passes.

    Example task
    ------------
    ```yaml
    accepted_outcomes:
      - required_slots:
          citations_local_min: 1
          citations_local_exist: true
          citations_web_max: 0
    grading:
      deterministic_metrics: [citation_contract]
    ```

    Example finding
    ---------------
    ```text
    citation_contract too_few_local_citations: the answer cites no paper of the library
      expected: at least 1
      got: no local citation
    ```
    """

    name = "citation_contract"
    version = 3
    codes: ClassVar[Mapping[str, str]] = {
        "too_few_local_citations": "Fewer papers of the library are cited than required.",
        "too_many_local_citations": "More papers of the library are cited than allowed.",
        "too_few_web_citations": "Fewer pages of the web are cited than required.",
        "too_many_web_citations": "More pages of the web are cited than allowed.",
        "unknown_paper_cited": "A paper is cited that neither a tool result nor the task knows.",
        "unknown_page_cited": "A page of the web is cited that no tool result holds.",
        "paper_not_cited": "A paper that must be cited is not.",
        "malformed_citation": "A link that should cite a paper or a page cannot lead there.",
        "citation_mismatch": "A link's label shows another address than the one it leads to.",
    }
    invariants: ClassVar[Mapping[str, str]] = {}

    by_turn = True
    slots: ClassVar[Mapping[str, SlotKind]] = {
        "citations_local_min": at_least("At least so many distinct papers are cited as `/paper/{id}`."),
        "citations_local_max": at_most("At most so many distinct papers are cited as `/paper/{id}`."),
        "citations_web_min": at_least("At least so many distinct web addresses are cited."),
        "citations_web_max": at_most("At most so many distinct web addresses are cited."),
        "citations_local_exist": flag("True: every paper cited exists."),
        "citations_web_exist": flag("True: every page of the web that is cited was returned by a tool."),
        "citations_known": texts("Ids of papers that exist, beside those that tools returned."),
        "citations_local_include": text_list("Papers that are cited: ids, or `{any_of: [ids]}`."),
    }

    def unmet(self, index: int, outcome: Outcome, task: Task, trace: Trace) -> Iterator[Unmet]:
        """The citation slots of the outcome that the answer's links do not meet."""
        slots = {slot: value for slot, value in outcome.required_slots.items() if slot in self.slots}
        if not any(self.slots[slot].demands(value) for slot, value in slots.items()):
            return
        answer = shown(trace.text)
        cited = [link if _seen(link) else replace(link, kind="malformed", reason=_UNSEEN) for link in links(answer)]
        open_ = cited[-1:] if cited and cited[-1].open_in(answer) else []
        local = list(dict.fromkeys(link.local_id for link in cited if link.kind == "local"))
        yield from _counted(index, slots, "local", cited, open_)
        yield from _counted(index, slots, "web", cited, open_)
        if slots.get("citations_local_exist"):
            known = known_papers(trace) | frozenset(slots.get("citations_known", ()))
            for paper in local:
                if paper not in known:
                    yield Unmet(
                        "unknown_paper_cited",
                        f"the answer cites /paper/{paper}, which neither a tool result nor the task knows",
                        slot_path(index, "citations_local_exist"),
                        expected=f"one of {_some(sorted(known))}" if known else "no local citation: no paper is known",
                        got=f"/paper/{paper}",
                        final=False,
                    )
        if slots.get("citations_web_exist"):
            yield from _unknown_pages(slot_path(index, "citations_web_exist"), cited, known_pages(trace))
        for place, entry in enumerate(slots.get("citations_local_include", ())):
            papers = choices(entry)
            if not set(papers) & set(local):
                wanted = " or ".join(f"/paper/{paper}" for paper in papers)
                yield Unmet(
                    "paper_not_cited",
                    f"the answer does not cite {wanted}",
                    slot_path(index, "citations_local_include", place),
                    expected=wanted,
                    got=_some([f"/paper/{paper}" for paper in local]) or "no local citation",
                    final=False,
                )
        yield from _wrong(outcome_path(index, "required_slots", next(iter(slots))), cited, open_)

    def problems(self, task: Task) -> Iterator[Problem]:
        """Bounds that exclude each other, and existence that nothing could ever show."""
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            slots = outcome.required_slots
            least = {kind: slots.get(f"citations_{kind}_min", 0) for kind in ("local", "web")}
            for kind, minimum in least.items():
                maximum = slots.get(f"citations_{kind}_max")
                if maximum is not None and minimum > maximum:
                    message = f"citations_{kind}_min {minimum} is more than citations_{kind}_max {maximum}"
                    path = slot_path(index, f"citations_{kind}_min")
                    yield problem_at(task, path, "unreachable_outcome", message)
            include, most = slots.get("citations_local_include", ()), slots.get("citations_local_max")
            ids = {entry for entry in include if isinstance(entry, str)}
            if most is not None and (len(ids) > most or (include and most == 0)):
                message = f"citations_local_include asks for more papers than citations_local_max {most} allows"
                yield problem_at(task, slot_path(index, "citations_local_include"), "unreachable_outcome", message)
            # In a conversation a paper may have been read before the answer that cites it.
            no_tool = outcome.tool_path_policy == "no_tools" and not task.then
            no_source = no_tool and not slots.get("citations_known")
            if slots.get("citations_local_exist") and no_source and (least["local"] or include):
                message = "without a tool call and without citations_known no cited paper can be known to exist"
                yield problem_at(task, slot_path(index, "citations_local_exist"), "unreachable_outcome", message)
            if slots.get("citations_local_exist") and _alone(outcome):
                message = "an answer that cites nothing meets 'citations_local_exist: true'"
                fix = "add citations_local_min or citations_local_include"
                yield problem_at(task, slot_path(index, "citations_local_exist"), "vacuous_slot", message, fix)
            if slots.get("citations_web_exist") and no_tool and least["web"]:
                message = "without a tool call no cited page of the web can be known to exist"
                yield problem_at(task, slot_path(index, "citations_web_exist"), "unreachable_outcome", message)
            if "citations_known" in slots and not slots.get("citations_local_exist"):
                message = "'citations_known' does nothing without 'citations_local_exist: true'"
                yield problem_at(task, slot_path(index, "citations_known"), "vacuous_slot", message)


def _seen(link: Link) -> bool:
    """Whether there is anything of a link that a reader could see and follow."""
    return link.label is None or link.kind == "other" or bool(fold(link.label).text.strip())


def _alone(outcome: Outcome) -> bool:
    """Whether nothing but the existence of what may be cited is asked."""
    kept = {slot: value for slot, value in outcome.required_slots.items() if slot not in _EXISTENCE}
    rest = outcome.model_copy(update={"name": None, "required_slots": kept, "tolerances": {}})
    return rest == Outcome(required_slots={slot: 0 for slot in kept if slot in _LEAST and kept[slot] == 0})


def _counted(
    index: int, slots: Mapping[str, Json], kind: str, cited: Sequence[Link], open_: Sequence[Link]
) -> Iterator[Unmet]:
    """The bounds of one kind of citation. An address that more text could still lengthen proves no surplus."""
    found = list(dict.fromkeys(link.address for link in cited if link.kind == kind))
    settled = {link.address for link in cited if link.kind == kind and link not in open_}
    one, many = _NOUNS[kind]
    said = f"the answer cites {f'{len(found)} {one if len(found) == 1 else many}' if found else f'no {one}'}"
    got = _some(found) or f"no {kind} citation"
    least, most = slots.get(f"citations_{kind}_min", 0), slots.get(f"citations_{kind}_max")
    if len(found) < least:
        path = slot_path(index, f"citations_{kind}_min")
        yield Unmet(f"too_few_{kind}_citations", said, path, expected=f"at least {least}", got=got, final=False)
    if most is not None and len(found) > most:
        path = slot_path(index, f"citations_{kind}_max")
        final = len(settled) > most
        yield Unmet(f"too_many_{kind}_citations", said, path, expected=f"at most {most}", got=got, final=final)


def _unknown_pages(path: Path, cited: Sequence[Link], known: frozenset[str]) -> Iterator[Unmet]:
    """The addresses that no tool returned, each once. One that more text could lengthen may become a known one."""
    seen = set()
    for link in cited:
        if link.kind == "web" and link.address not in known and link.address not in seen:
            seen.add(link.address)
            target = visible(link.target)
            message = f"the answer cites {target!r}, which no tool result holds"
            expected = f"one of {_some(sorted(known))}" if known else "no web citation: no tool returned an address"
            yield Unmet("unknown_page_cited", message, path, expected=expected, got=target, final=False)


def _wrong(path: Path, cited: Sequence[Link], open_: Sequence[Link]) -> Iterator[Unmet]:
    seen = set()
    for link in cited:
        target = visible(link.target)
        if link.kind == "malformed" and target not in seen:
            seen.add(target)
            message = f"the citation {target!r} is malformed: {link.reason}"
            expected = "/paper/{id} or http(s)://host/…"
            yield Unmet("malformed_citation", message, path, expected=expected, got=target, final=link not in open_)
        elif link.belied:
            message = f"a link whose label shows {visible(link.belied)!r} leads to {target!r}"
            yield Unmet("citation_mismatch", message, path, expected=visible(link.belied), got=target)


def _some(entries: Sequence[str]) -> str:
    """The first few entries, for a message."""
    more = f" and {len(entries) - 5} more" if len(entries) > 5 else ""
    return ", ".join(visible(entry) for entry in entries[:5]) + more
