"""What the bytes of a trial say: the answers of the subject, and what passed between it and its services."""

from __future__ import annotations

from collections.abc import Iterable

from tapegate.model.config import Config
from tapegate.model.trace import Event, Exchange, Offer, Text, Usage
from tapegate.stream.dialect import parser
from tapegate.stream.given import given
from tapegate.stream.offer import offer
from tapegate.stream.prompted import prompted
from tapegate.stream.provider import ProviderCall, read_call
from tapegate.tape.cassette import Cassette, Interaction

REFUSED = Usage(input_tokens=0, output_tokens=0)
"""Of a call that a provider answered with an error, as it does before a retry that it then serves."""


def offers(config: Config, cassette: Cassette, places: Iterable[int]) -> tuple[Offer, ...]:
    """What the calls at `places` that go to a model offer it, in the order of the recording."""
    found = []
    for number in places:
        interaction = cassette.interactions[number]
        service = config.services.get(interaction.service)
        if service is not None and service.protocol != "http":
            found.append(offer(number, interaction.request.headers, interaction.request.body))
    return tuple(one for one in found if one is not None)


def joined(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events with neighbouring pieces of text joined: where a text was cut says nothing about it."""
    found: list[Event] = []
    for event in events:
        if isinstance(event, Text) and found and isinstance(found[-1], Text):
            found[-1] = Text(found[-1].text + event.text)
        else:
            found.append(event)
    return tuple(found)


def tokens(recorded: Iterable[Exchange]) -> int | None:
    """What models read and wrote in all; None where none was called, or one call does not say."""
    used = [exchange.usage for exchange in recorded if exchange.model is not None]
    counts = [(usage.input_tokens, usage.output_tokens) if usage is not None else (None, None) for usage in used]
    known = [read + written for read, written in counts if read is not None and written is not None]
    return sum(known) if known and len(known) == len(counts) else None


def events(dialect: str, chunks: Iterable[bytes]) -> tuple[Event, ...]:
    """The events in an answer."""
    reader = parser(dialect)
    found = [event for chunk in chunks for event in reader.feed(chunk)]
    return (*found, *reader.close())


def told(cassette: Cassette, places: Iterable[int]) -> tuple[str, ...]:
    """What tools told the models in the requests at `places`, each text once."""
    requests = [cassette.interactions[number].request for number in places]
    return tuple(dict.fromkeys(text for request in requests for text in given(request.headers, request.body)))


def asked(config: Config, cassette: Cassette, places: Iterable[int]) -> tuple[str, ...]:
    """What users told the models in the requests at `places`, each text once."""
    played = [cassette.interactions[number] for number in places]
    services = {name for name, service in config.services.items() if service.protocol != "http"}
    requests = [interaction.request for interaction in played if interaction.service in services]
    return tuple(dict.fromkeys(text for request in requests for text in prompted(request.headers, request.body)))


def exchanges(config: Config, cassette: Cassette, paths: list[str], places: Iterable[int]) -> tuple[Exchange, ...]:
    """The interactions at `places`, read as provider calls where they are such, in the order of the recording."""
    made = []
    for number in places:
        interaction = cassette.interactions[number]
        service = config.services.get(interaction.service)
        call = read_call(
            service.protocol if service is not None else "http",
            interaction.request.method,
            paths[number],
            interaction.response.status,
            request_headers=interaction.request.headers,
            request_body=interaction.request.body,
            response_headers=interaction.response.headers,
            response_body=interaction.response.body,
        )
        made.append(
            Exchange(
                index=number,
                service=interaction.service,
                method=interaction.request.method,
                path=paths[number],
                status=interaction.response.status,
                started_us=interaction.chunks.started_us,
                duration_us=interaction.chunks.ended_us - interaction.chunks.started_us,
                request_bytes=len(interaction.request.body),
                model=(call.model or call.requested_model) if call is not None else None,
                usage=_usage(call, interaction) if call is not None else None,
                finish_reason=call.finish_reason if call is not None else None,
            )
        )
    return tuple(made)


def _usage(call: ProviderCall, interaction: Interaction) -> Usage | None:
    """A call that was refused took nothing: providers count no tokens for an error. One without an answer may have."""
    if call.usage is None and interaction.answered and interaction.response.status >= 400:
        return REFUSED
    return call.usage
