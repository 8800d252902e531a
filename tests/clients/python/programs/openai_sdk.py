"""openai: chat with a tool, a stream, the Responses API whole and streamed, sync and async, and embeddings."""

import asyncio
import json

import openai

TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
ASK = {"role": "user", "content": "How warm is it in Oslo?"}


def chat(client):
    called = client.chat.completions.create(model="m-1", messages=[ASK], tools=[TOOL]).choices[0].message
    (call,) = called.tool_calls
    told = {"role": "tool", "tool_call_id": call.id, "content": "7 degrees"}
    answer = client.chat.completions.create(model="m-1", messages=[ASK, called.model_dump(), told], tools=[TOOL])
    return [call.function.name, call.function.arguments, answer.choices[0].message.content, answer.usage.total_tokens]


def stream(client):
    pieces = client.chat.completions.create(
        model="m-1", messages=[ASK], stream=True, stream_options={"include_usage": True}
    )
    return [piece.choices[0].delta.content for piece in pieces if piece.choices]


async def responses():
    async with openai.AsyncOpenAI() as client:
        whole = await client.responses.create(model="m-1", input="How warm is it?")
        events = await client.responses.create(model="m-1", input="How warm is it?", stream=True)
        deltas = [event.delta async for event in events if event.type == "response.output_text.delta"]
        return [whole.output_text, deltas]


with openai.OpenAI() as client:
    vector = client.embeddings.create(model="e-1", input="Oslo", encoding_format="float").data[0].embedding
    print(json.dumps([chat(client), stream(client), asyncio.run(responses()), vector]))
