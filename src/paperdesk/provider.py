"""The model provider: a streamed completion, a whole one, and embeddings, each failing with one kind of error."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

from paperdesk.settings import Settings


class ProviderError(Exception):
    """The model gave no whole answer. The message is for the user: one sentence, no host, no port, no key."""


@dataclass(slots=True)
class Call:
    """A tool call, as far as it has arrived."""

    id: str = ""
    name: str = ""
    arguments: str = ""

    def parsed(self) -> dict[str, Any] | None:
        """Its arguments; None when they are no JSON object."""
        try:
            value = json.loads(self.arguments or "{}")
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


@dataclass(slots=True)
class Completion:
    """What one completion has come to, once its stream has ended."""

    content: str = ""
    """All text, hidden tags included."""
    calls: dict[int, Call] = field(default_factory=dict)
    finish_reason: str | None = None


class Provider:
    """An OpenAI-compatible model, asked the same way each time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client: openai.AsyncOpenAI | None = None

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def complete(
        self,
        into: Completion,
        messages: Sequence[ChatCompletionMessageParam],
        tools: Sequence[ChatCompletionToolParam] = (),
        *,
        may_call: bool = True,
    ) -> AsyncGenerator[str, None]:
        """Stream one completion: yields its text and fills `into`. Raises `ProviderError`.

        With `may_call` false the model knows the tools, and must answer without them.
        """
        with _told():
            stream = await self._connected().chat.completions.create(
                model=self._settings.model,
                messages=list(messages),
                tools=list(tools) if tools else openai.omit,
                tool_choice=("auto" if may_call else "none") if tools else openai.omit,
                temperature=self._settings.temperature,
                top_p=self._settings.top_p,
                max_tokens=self._settings.max_tokens,
                seed=self._settings.seed,
                stream=True,
                stream_options={"include_usage": True},
            )
            async with stream:
                async for chunk in stream:
                    for choice in chunk.choices[:1]:
                        into.finish_reason = choice.finish_reason or into.finish_reason
                        for part in choice.delta.tool_calls or ():
                            call = into.calls.setdefault(part.index, Call())
                            call.id = part.id or call.id
                            if part.function is not None:
                                call.name += part.function.name or ""
                                call.arguments += part.function.arguments or ""
                        if choice.delta.content:
                            piece = _sound(choice.delta.content)
                            into.content += piece
                            yield piece
        if into.finish_reason is None:
            raise ProviderError("The model's answer broke off. Please try again.")

    async def say(
        self,
        messages: Sequence[ChatCompletionMessageParam],
        *,
        form: Mapping[str, Any] | None = None,
    ) -> str:
        """One completion in one piece, hidden tags included. Raises `ProviderError`.

        `form` is the JSON Schema, with a `title`, that the text shall keep to. Whether it does is the caller's to
        check: not every model does, and a text may be cut at the limit of tokens.
        """
        with _told():
            completion = await self._connected().chat.completions.create(
                model=self._settings.model,
                messages=list(messages),
                response_format=openai.omit
                if form is None
                else {
                    "type": "json_schema",
                    "json_schema": {"name": str(form["title"]), "strict": True, "schema": dict(form)},
                },
                temperature=self._settings.temperature,
                top_p=self._settings.top_p,
                max_tokens=self._settings.max_tokens,
                seed=self._settings.seed,
            )
            return _sound(completion.choices[0].message.content or "")

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text, in their order, from `Settings.embedding_model`. Raises `ProviderError`."""
        with _told():
            # Raw: the SDK makes an object of each number, which takes longer than the request.
            answer = await self._connected().embeddings.with_raw_response.create(
                model=self._settings.embedding_model or "", input=list(texts), encoding_format="float"
            )
            found = json.loads(answer.content)["data"]
            return [one["embedding"] for one in sorted(found, key=lambda one: int(one["index"]))]

    def _connected(self) -> openai.AsyncOpenAI:
        # Late, so that a missing key is an answer to the user and not a program that does not start.
        if self._client is None:
            self._client = openai.AsyncOpenAI(max_retries=0, timeout=self._settings.timeout_s)
        return self._client


@contextmanager
def _told() -> Iterator[None]:
    """What goes wrong at the provider, as a sentence for the user."""
    try:
        yield
    except openai.APIStatusError as error:
        raise ProviderError(_refused(error.status_code)) from error
    except openai.APITimeoutError as error:
        raise ProviderError("The model did not answer in time. Please try again.") from error
    except openai.APIConnectionError as error:
        raise ProviderError("The model could not be reached. Please check OPENAI_BASE_URL.") from error
    except openai.APIError as error:
        raise ProviderError("The model broke off with an error. Please try again.") from error
    except openai.OpenAIError as error:
        raise ProviderError("The model cannot be asked: set OPENAI_API_KEY to the key of your provider.") from error
    except (httpx2.HTTPError, ValueError, TypeError, AttributeError, LookupError) as error:
        # The SDK hands on what a stream breaks off with, and does not check the shape of what it reads.
        raise ProviderError("The model's answer broke off. Please try again.") from error


def _sound(text: str) -> str:
    """`text` without lone surrogates (half an emoji, in broken JSON), which could be neither sent nor stored."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _refused(status: int) -> str:
    if status in (401, 403):
        return f"The model's provider did not accept the key (status {status}). Please check OPENAI_API_KEY."
    if status == 429:
        return "The model's provider has too much to do or your quota is used up (status 429). Please try again later."
    return f"The model's provider could not answer (status {status}). Please try again."
