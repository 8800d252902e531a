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
from openai._utils._transform import get_type_hints
from tapegate.doors import late_imports
late_imports.catch_up()
before, resolved = set(sys.modules), get_type_hints.cache_info().misses

def answer(request):
    frame = b'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[]}\\n\\n'
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=frame + b"data: [DONE]\\n\\n")

async def ask():
    http = httpx2.AsyncClient()
    http._transport = httpx2.MockTransport(answer)
    client = openai.AsyncOpenAI(api_key="x", base_url="http://x.example", http_client=http)
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        *({"role": role, "content": "x"} for role in ("system", "developer", "user")),
        {"role": "assistant", "content": "x", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "x"},
    ]
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}
    said = await client.chat.completions.create(
        model="m", messages=messages, tools=tools, response_format=form, stream=True
    )
    async for _ in said:
        pass
    await client.chat.completions.create(model="m", messages=messages)
    await client.embeddings.with_raw_response.create(model="m", input=["x"], encoding_format="float")

asyncio.run(ask())
print(get_type_hints.cache_info().misses - resolved, *sorted(set(sys.modules) - before))
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
    """The tables hold what the versions here import and resolve late: else each trial would pay for it."""
    resolved, *late = run(FIRST_REQUEST)
    assert len(late) < 5, late
    assert resolved == "0"


def test_the_first_client_makes_no_tls_context():
    """All clients of an armed process share one, and it is there before the first of them."""
    program = """
import ssl
import httpx2
from tapegate.doors import httpx_door, in_process, late_imports
in_process.install()
in_process.shut(print)
late_imports.catch_up()
httpx_door.catch_up()
made, real = [], ssl.SSLContext
ssl.SSLContext = lambda *words: made.append(words) or real(*words)
with httpx2.Client(), httpx2.Client():
    print(len(made))
"""
    assert run(program) == ["0"]


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


@pytest.mark.parametrize(
    "changed",
    [
        "transform.get_type_hints = lambda kind: {}",
        "del transform.get_type_hints",
        "import openai.lib.streaming.chat; openai.types.chat.ChatCompletion.model_rebuild = None",
    ],
)
def test_a_client_of_another_version_is_left_as_it_is(changed):
    """What is prepared are insides of a library: where they are others, nothing fails, and the rest is prepared."""
    program = f"""
import sys
import openai
from openai._utils import _transform as transform
{changed}
from tapegate.doors import late_imports
late_imports.catch_up()
print("openai.lib.streaming.chat" in sys.modules)
"""
    assert run(program) == ["True"]
