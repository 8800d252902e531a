"""openai-agents: an agent with a tool, run whole and streamed."""

import asyncio
import json

from agents import Agent, Runner, function_tool


@function_tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"7 degrees in {city}"


agent = Agent(name="Weather", instructions="Answer briefly.", model="m-1", tools=[weather])


async def main():
    whole = await Runner.run(agent, "How warm is it in Oslo?")
    streamed = Runner.run_streamed(agent, "How warm is it in Oslo?")
    raw = [event.data async for event in streamed.stream_events() if event.type == "raw_response_event"]
    deltas = [event.delta for event in raw if event.type == "response.output_text.delta"]
    return [whole.final_output, [type(item).__name__ for item in whole.new_items], deltas]


print(json.dumps(asyncio.run(main())))
