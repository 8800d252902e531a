"""What clients import late: a worker's children find it imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
{imports}
from tapegate.doors import late_imports
late_imports.catch_up()
clients = {{"httpx", "httpx2", "httpcore", "httpcore2", "openai"}}
print(*sorted({{name.partition('.')[0] for name in sys.modules}} & clients))
"""

FIRST_REQUEST = """
import asyncio, sys
import httpx2, openai
from tapegate.doors import late_imports
late_imports.catch_up()
before = set(sys.modules)

def answer(request):
    frame = b'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[]}\\n\\n'
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=frame + b"data: [DONE]\\n\\n")

async def ask():
    http = httpx2.AsyncClient()
    http._transport = httpx2.MockTransport(answer)
    client = openai.AsyncOpenAI(api_key="x", base_url="http://x.example", http_client=http)
    async for _ in await client.chat.completions.create(model="m", messages=[], stream=True):
        pass

asyncio.run(ask())
print(*sorted(set(sys.modules) - before))
"""


def run(program: str) -> list[str]:
    """What a program prints, word by word."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("imports", "found"),
    [("", []), ("import httpx", ["httpcore", "httpx"]), ("import httpx2", ["httpcore2", "httpx2"])],
)
def test_only_what_the_agent_has_is_caught_up_with(imports, found):
    """A client that the agent did not import is not imported for it."""
    assert run(PROGRAM.format(imports=imports)) == found


def test_the_first_request_of_the_openai_sdk_imports_next_to_nothing():
    """The table holds what the versions here import late: else each trial would pay for it."""
    late = run(FIRST_REQUEST)
    assert len(late) < 5, late


def test_schemas_of_answers_are_built_for_the_children():
    """What the openai SDK reads an answer into is whole, down to the last part, and an unused model is left alone."""
    program = """
import openai
from tapegate.doors import late_imports
late_imports.catch_up()
from openai.types import Batch
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCallFunction
from openai.types.completion_usage import CompletionTokensDetails
models = ChatCompletion, ChatCompletionChunk, ChoiceDeltaToolCallFunction, CompletionTokensDetails, Batch
print(*[model.__pydantic_complete__ for model in models])
"""
    assert run(program) == ["True", "True", "True", "True", "False"]
