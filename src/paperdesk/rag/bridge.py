"""The bridge to the provider's models: vectors, from a cache where it has them, and answers from passages.

Whatever becomes of a model, the caller can go on. Without an embedding model, or when it fails or sends vectors that
cannot be used, all texts get local ones, and the result says why. A completion that fails is an `AnswerError` with what
had been answered by then.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from openai.types.chat import ChatCompletionMessageParam

from paperdesk.answer import Answer
from paperdesk.provider import Completion, Provider, ProviderError
from paperdesk.rag import embedder

BATCH = 64
"""So many texts go into one request."""


class AnswerError(Exception):
    """The model gave no whole answer; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """One vector a text, all of one model."""

    of: tuple[tuple[float, ...], ...]
    model: str
    fallback: str | None
    """Why they are local ones although a model was wanted; None otherwise."""


class Bridge:
    """Asks the models of one provider for one library."""

    def __init__(self, provider: Provider, connection: sqlite3.Connection, embedding_model: str | None) -> None:
        self._provider = provider
        self._db = connection
        self._model = embedding_model

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """The vectors of `texts`, in their order. Never fails."""
        fallback = None
        if self._model is not None:
            try:
                return Vectors(await self._from_model(self._model, texts), self._model, None)
            except ProviderError as error:
                fallback = str(error)
            except Exception as error:  # noqa: BLE001 - whatever a backend dies of, there are vectors
                fallback = f"The embedding model failed ({type(error).__name__})."
        return Vectors(tuple(tuple(embedder.embedded(text)) for text in texts), embedder.MODEL, fallback)

    async def _from_model(self, model: str, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        known = {
            key: tuple(json.loads(vector))
            for key, vector in self._db.execute("SELECT sha256, vector FROM embeddings WHERE model = ?", (model,))
        }
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        for start in range(0, len(missing), BATCH):
            batch = dict(list(missing.items())[start : start + BATCH])
            found = await self._provider.embed(list(batch.values()))
            if len(found) != len(batch) or not all(map(_sound, found)):
                raise ProviderError("The embedding model sent vectors that cannot be used.")
            known |= dict(zip(batch, map(tuple, found), strict=True))
        if len({len(known[key]) for key in keys}) > 1:
            raise ProviderError("The embedding model sent vectors of different lengths.")
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO embeddings (model, sha256, vector) VALUES (?, ?, ?)",
                [(model, key, json.dumps(known[key])) for key in missing],
            )
        return tuple(known[key] for key in keys)

    async def answer(self, into: Answer, messages: Sequence[ChatCompletionMessageParam]) -> AsyncGenerator[str, None]:
        """Stream an answer: yields what the user sees of it, and fills `into`. Raises `AnswerError`."""
        try:
            async with aclosing(self._provider.complete(Completion(), messages)) as pieces:
                async for piece in pieces:
                    if shown := into.add(piece):
                        yield shown
        except ProviderError as error:
            raise AnswerError(str(error)) from error
        except Exception as error:  # whatever a backend dies of is told like any other failure
            raise AnswerError(f"The model failed ({type(error).__name__}). Please try again.") from error
        if not into.text:
            raise AnswerError("The model's answer holds nothing to show. Please ask in other words.")


def _sound(vector: Sequence[float]) -> bool:
    return bool(vector) and all(isinstance(part, int | float) and math.isfinite(part) for part in vector)
