"""pydantic-ai: an agent with a tool, run whole and streamed."""

import asyncio
import json

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

agent = Agent(OpenAIChatModel("m-1"), instructions="Answer briefly.")


@agent.tool_plain
def weather(city: str) -> str:
    """The weather in a city."""
    return f"7 degrees in {city}"


async def main():
    whole = await agent.run("How warm is it in Oslo?")
    async with agent.run_stream("How warm is it in Oslo?") as streamed:
        deltas = [delta async for delta in streamed.stream_text(delta=True, debounce_by=None)]
    return [whole.output, deltas]


print(json.dumps(asyncio.run(main())))
