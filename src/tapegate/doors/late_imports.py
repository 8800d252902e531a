"""What HTTP clients and SDKs import only when they are first used.

A child that is forked for one trial would do so each time: 100 ms of the openai SDK's first request, where the request
itself takes one (measured). A worker that has imported the agent imports these for it, where the agent has the client.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress

LATE: dict[str, tuple[str, ...]] = {
    "httpx": ("httpcore", "anyio._backends._asyncio"),
    "httpx2": ("httpcore2", "truststore", "anyio._backends._asyncio"),
    "openai": (
        "openai.resources.chat.chat",
        "openai.resources.chat.completions.completions",
        "openai.lib.streaming.chat",
    ),
    "tornado": ("tornado.simple_httpclient", "vcr.stubs.tornado_stubs"),
    "anthropic": ("anthropic.resources.messages", "anthropic.lib.streaming"),
}
"""By client: modules of libraries, never of an agent, whose import does nothing but define things."""


def catch_up() -> None:
    """Import them for every client that is loaded. What a version of a client does not have is left out."""
    for client, modules in LATE.items():
        if client in sys.modules:
            for module in modules:
                with suppress(ImportError):
                    importlib.import_module(module)
