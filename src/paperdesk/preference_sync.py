"""The preference agent: what the user's messages tell of their taste, as one short summary for the chat's prompt.

The contract of a summary: it begins with `User preferences: `, has one to three sentences, and repeats no secret,
token, path or address. The model is asked for that, and what it answers is made to keep to it: scrubbed, cut, and put
under the prefix. A summary that says the same as an earlier one, in whatever order, is not stored twice.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import closing

from openai.types.chat import ChatCompletionMessageParam

from paperdesk import database, errand, stream
from paperdesk.preference_history import History
from paperdesk.provider import Provider, ProviderError
from paperdesk.scrub import REMOVED, scrub
from paperdesk.sessions import Sessions
from paperdesk.settings import Settings

PREFIX = "User preferences: "
MAX_SENTENCES = 3
MAX_CHARS = 500
MESSAGES = 40
"""So many of the user's messages are read, the last ones."""
MESSAGE_CHARS = 400

PROMPT = f"""## Task

Sum up what this user prefers in answers (length, form, topics, language), from the user's messages alone.

## Rules

- Begin with "{PREFIX.strip()}" and write one to {MAX_SENTENCES} short sentences, nothing else.
- Say what the user prefers, not what the user asked.
- Never repeat a password, key, token, file path or address.
"""

_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_EMPHASIS = re.compile(r"[*#`]+")
_PREFIX = re.compile(re.escape(PREFIX.strip()), re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-•]|\d+[.)])\s+", re.MULTILINE)


def sync(message: str = "") -> Iterator[str]:
    """Sync as the environment says, line by line. `message` is what the user says before that, a message a line."""
    return errand.lines(lambda settings, provider: synced(settings, provider, message))


async def synced(settings: Settings, provider: Provider, message: str = "") -> AsyncGenerator[str, None]:
    """The lines of one sync: the summary as text, and what became of it.

    The status is `stored` for a new summary, `duplicate` for one that was there already, and `nothing_new` where the
    user has said nothing since the last sync; then the model is not asked. Raises `ProviderError`, `DatabaseError`.
    """
    with closing(database.connect(settings.database)) as connection:
        if said := [line for line in message.splitlines() if line.strip()]:
            sessions = Sessions(connection)
            session_id = sessions.create()
            for line in said:
                sessions.add(session_id, "user", line)
        history = History(connection)
        last, messages = history.said(MESSAGES)
        if last <= history.covered():
            for line in _result(history.current() or "", "nothing_new", 0):
                yield line
            return
        summary = contracted(await provider.say(request(messages)))
        if summary is None:
            raise ProviderError("The model's summary of your preferences holds nothing to keep. Please try again.")
        status = "stored" if history.keep(summary, last) else "duplicate"
        for line in _result(history.current() or "", status, len(messages)):
            yield line


async def sync_when_due(settings: Settings, provider: Provider) -> None:
    """Sync where `Settings.sync_after` messages have come in since the last time; a failure waits for the next."""
    if not settings.sync_after:
        return
    with closing(database.connect(settings.database)) as connection:
        due = History(connection).waiting() >= settings.sync_after
    if due:
        async for _ in errand.told(synced(settings, provider)):
            pass


def request(messages: list[str]) -> list[ChatCompletionMessageParam]:
    """What the model is asked about these messages of the user."""
    said = "\n".join(f"- {' '.join(scrub(message).split())[:MESSAGE_CHARS]}" for message in messages)
    return [{"role": "system", "content": PROMPT}, {"role": "user", "content": f"## Messages\n\n{said}"}]


def contracted(text: str) -> str | None:
    """What the model wrote, made to keep to the contract; None when nothing of it can be kept."""
    said = _EMPHASIS.sub("", scrub(text))
    # Whatever it says by way of introduction goes, and so does the prefix, as often as it is there.
    behind = _PREFIX.sub("", _PREFIX.split(said, maxsplit=1)[-1]).strip() or said
    lines = [line.strip() for line in _BULLET.sub("", behind).splitlines() if not line.rstrip().endswith(":")]
    whole = " ".join(line if line.endswith((".", "!", "?", "…")) else f"{line}." for line in lines if line)
    kept: list[str] = []
    for sentence in filter(_says_something, _SENTENCE.split(whole)):
        if len(kept) < MAX_SENTENCES and len(" ".join([*kept, sentence])) <= MAX_CHARS:
            kept.append(sentence)
    return PREFIX + " ".join(kept) if kept else None


def _says_something(sentence: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", sentence.replace(REMOVED, ""))) >= 2


def _result(summary: str, status: str, messages: int) -> Iterator[str]:
    if summary:
        yield stream.text(summary)
    yield stream.data("preference_summary", status=status, summary=summary, messages=messages)
    yield stream.finish("stop")
