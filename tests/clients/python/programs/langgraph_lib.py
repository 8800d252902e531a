"""langgraph: a graph of a model and its tool, run whole and streamed."""

import json
import warnings

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

warnings.simplefilter("ignore")


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"7 degrees in {city}"


model = ChatOpenAI(model="m-1", use_responses_api=False).bind_tools([weather])
builder = StateGraph(MessagesState)
builder.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
builder.add_node("tools", ToolNode([weather]))
builder.add_edge(START, "model")
builder.add_conditional_edges("model", tools_condition)
builder.add_edge("tools", "model")
graph = builder.compile()

asked = {"messages": [HumanMessage("How warm is it in Oslo?")]}
whole = graph.invoke(asked)["messages"]
streamed = [chunk.content for chunk, _ in graph.stream(asked, stream_mode="messages") if chunk.type == "AIMessageChunk"]
print(json.dumps([[message.type for message in whole], whole[-1].content, streamed]))
