"""litellm: a completion with a tool through OpenAI, a stream, and a message through Anthropic."""

import json

import litellm

litellm.telemetry = False
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
ASK = [{"role": "user", "content": "How warm is it in Oslo?"}]

called = litellm.completion(model="openai/m-1", messages=ASK, tools=[TOOL]).choices[0].message.tool_calls[0].function
pieces = [piece.choices[0].delta.content for piece in litellm.completion(model="openai/m-1", messages=ASK, stream=True)]
other = litellm.completion(model="anthropic/m-1", messages=ASK, max_tokens=100).choices[0].message.content
print(json.dumps([called.name, called.arguments, pieces, other]))
