"""What tools have returned, as the rules read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from paperdesk.scripted_model.words import clauses, coverage, key_words, sentences, stem, stems

_PRIVATE = re.compile(r"<private>(.*?)</private>", re.IGNORECASE | re.DOTALL)
_ABOUT = frozenset({"id", "title", "authors", "year", "topic", "heading", "file", "path", "source_path", "notes"})
_NUMBER_WANTED = re.compile(
    r"\bhow (many|much|long|far|often|fast|deep|high|wide|big|large|warm|cold|hot|soon|old|expensive|well)\b"
    r"|\b(what|which) (\w+ )?(share|percentage|percent|temperature|number|rate|threshold|speed|price|cost|angle|depth"
    r"|distance|width|height|value|tempo|yield|frequency|year|date)\b|\bwhen\b|\b(cost|price|threshold|cut-off)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|third)\b")


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
    passage: bool = False
    """It is not the whole of a paper."""

    @property
    def text(self) -> str:
        """Title and text in one piece."""
        return " ".join((self.title, *self.sentences, *self.matched))

    def coverage(self, question: str) -> float:
        """Which part of the question's key words it holds, 0 to 1."""
        return coverage(question, self.text)

    def best(self, question: str, limit: int) -> tuple[str, ...]:
        """The sentences that answer `question` best, at most `limit`, in the source's order.

        Of a question with several parts each part gets its best sentence; a plain one gets its best, and others
        that are nearly as good.
        """
        parts = clauses(question)
        chosen: dict[int, None] = {}
        for part in parts:
            scores = self._scores(part)
            ranked = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
            best = scores[ranked[0]] if ranked else 0
            near = [place for place in ranked if scores[place] >= 0.5 * best > 0]
            chosen |= dict.fromkeys(near if len(parts) == 1 else near[:1])
        return tuple(self.sentences[place] for place in sorted(list(chosen)[:limit]))

    def _scores(self, question: str) -> list[float]:
        """A score for each sentence.

        A key word counts the more, the fewer sentences hold it; a figure counts where one is asked for, and a
        sentence that asks something itself answers little.
        """
        bags = [stems(sentence) for sentence in self.sentences]
        weights = {stem(word): 1 / max(1, sum(stem(word) in bag for bag in bags)) for word in key_words(question)}
        number = bool(_NUMBER_WANTED.search(question))
        return [
            sum(weight for word, weight in weights.items() if word in bag)
            * (1.6 if number and _FIGURE.search(sentence) else 1)
            * (0.3 if sentence.endswith("?") else 1)
            for sentence, bag in zip(self.sentences, bags, strict=True)
        ]


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
    return Source(
        result["title"], link, tuple(found), tuple(notes), file, result["id"], passage=result.get("passage") is True
    )


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
