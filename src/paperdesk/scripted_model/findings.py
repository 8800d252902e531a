"""What tools have returned, as the rules read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from paperdesk.scripted_model.words import coverage, key_words, sentences, stem, stems

_PRIVATE = re.compile(r"<private>(.*?)</private>", re.IGNORECASE | re.DOTALL)
_ABOUT = frozenset({"id", "title", "authors", "year", "topic", "heading", "file", "path", "source_path", "notes"})
_NUMBER_WANTED = re.compile(
    r"\bhow (many|much|long|far|often|fast|deep|high|wide|big|large|warm|cold|hot|soon|old|expensive|well)\b"
    r"|\b(what|which) (\w+ )?(share|percentage|percent|temperature|number|rate|threshold|speed|price|cost|angle|depth"
    r"|distance|width|height|value|tempo|yield|frequency|year|date)\b|\bwhen\b|\b(cost|price|threshold|cut-off)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Source:
    """A paper or a page, with as much of its text as was returned."""

    title: str
    link: str
    """What follows the title in a Markdown link."""
    sentences: tuple[str, ...]
    notes: tuple[str, ...] = ()
    file: str = ""
    paper_id: str = ""
    matched: tuple[str, ...] = ()
    """Words that a search says it holds."""

    @property
    def text(self) -> str:
        """Title and text in one piece."""
        return " ".join((self.title, *self.sentences, *self.matched))

    def answers(self, question: str) -> bool:
        """Whether it is about the question at all."""
        return coverage(question, self.text) >= 0.5

    def best(self, question: str, limit: int) -> tuple[str, ...]:
        """The sentences that answer `question` best, at most `limit`, in the source's order.

        A key word counts the more, the fewer sentences hold it, and less once a chosen sentence has it; a figure
        counts where one is asked for.
        """
        bags = [stems(sentence) for sentence in self.sentences]
        wanted = sorted({stem(word) for word in key_words(question)})
        weights = {word: 1 / max(1, sum(word in bag for bag in bags)) for word in wanted}
        number = bool(_NUMBER_WANTED.search(question))
        chosen: list[int] = []
        enough = 0.0
        while len(chosen) < min(limit, len(bags)):
            scores = {
                place: sum(weights[word] for word in wanted if word in bag)
                * (1.6 if number and any(char.isdigit() for char in self.sentences[place]) else 1.0)
                for place, bag in enumerate(bags)
                if place not in chosen
            }
            place = max(scores, key=lambda place: (scores[place], -place))
            if scores[place] <= enough:
                break
            enough = enough or 0.4 * scores[place]
            chosen.append(place)
            weights = {word: weight * (0.3 if word in bags[place] else 1) for word, weight in weights.items()}
        return tuple(self.sentences[place] for place in sorted(chosen))


def paper(result: dict[str, Any]) -> Source | None:
    """The paper that a reading tool returned; None where it returned something else."""
    if not isinstance(result.get("id"), str) or not isinstance(result.get("title"), str):
        return None
    raw = "\n\n".join(_strings(result))
    notes = [" ".join(note.split()) for note in _PRIVATE.findall(raw)]
    notes += [note for note in result.get("notes") or () if isinstance(note, str)]
    prose = re.sub(r"^#+ .*$", "", _PRIVATE.sub("", raw), flags=re.MULTILINE)
    found = dict.fromkeys(sentence for block in prose.split("\n\n") for sentence in sentences(block))
    file = next((result[key] for key in ("file", "path", "source_path") if isinstance(result.get(key), str)), "")
    link = f"/paper/{result['id']}"
    return Source(result["title"], link, tuple(found), tuple(notes), file, paper_id=result["id"])


def listed(result: dict[str, Any]) -> Iterator[Source]:
    """The papers or pages that a search returned, best first."""
    for hit in result.get("results") or ():
        if not isinstance(hit, dict) or not isinstance(hit.get("title"), str):
            continue
        snippet = str(hit.get("snippet", "")).strip(" …")
        if isinstance(hit.get("url"), str):
            yield Source(hit["title"], hit["url"], sentences(snippet))
        elif isinstance(hit.get("id"), str):
            matched = tuple(str(word) for word in hit.get("matched") or ())
            link = f"/paper/{hit['id']}"
            yield Source(hit["title"], link, sentences(snippet), paper_id=hit["id"], matched=matched)


def _strings(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str) and key not in _ABOUT:
        yield value
    elif isinstance(value, dict) and key not in _ABOUT:
        for name, part in value.items():
            yield from _strings(part, name)
    elif isinstance(value, list) and key not in _ABOUT:
        for part in value:
            yield from _strings(part, key)
