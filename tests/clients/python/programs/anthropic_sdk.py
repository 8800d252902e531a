"""anthropic: messages with a tool, and a stream, sync and async."""

import asyncio
import json

import anthropic

TOOL = {
    "name": "weather",
    "description": "The weather in a city.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
}
ASK = {"role": "user", "content": "How warm is it in Oslo?"}
MORE = {"model": "m-1", "max_tokens": 100}


def talk(client):
    called = client.messages.create(messages=[ASK], tools=[TOOL], **MORE)
    (call,) = [block for block in called.content if block.type == "tool_use"]
    told = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "7 degrees"}]}
    said = {"role": "assistant", "content": [block.model_dump() for block in called.content]}
    answer = client.messages.create(messages=[ASK, said, told], tools=[TOOL], **MORE)
    return [call.name, call.input, answer.content[0].text, answer.usage.output_tokens]


async def stream():
    async with anthropic.AsyncAnthropic() as client, client.messages.stream(messages=[ASK], **MORE) as pieces:
        return [text async for text in pieces.text_stream]


with anthropic.Anthropic() as client:
    print(json.dumps([talk(client), asyncio.run(stream())]))
