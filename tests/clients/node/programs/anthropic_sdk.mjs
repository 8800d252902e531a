// @anthropic-ai/sdk: messages with a tool, and a stream.
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic();
const tools = [
  {
    name: "weather",
    description: "The weather in a city.",
    input_schema: { type: "object", properties: { city: { type: "string" } } },
  },
];
const ask = { role: "user", content: "How warm is it in Oslo?" };
const more = { model: "m-1", max_tokens: 100 };

const called = await client.messages.create({ ...more, messages: [ask], tools });
const call = called.content.find((block) => block.type === "tool_use");
const told = { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "7 degrees" }] };
const said = { role: "assistant", content: called.content };
const answer = await client.messages.create({ ...more, messages: [ask, said, told], tools });
const pieces = [];
for await (const event of client.messages.stream({ ...more, messages: [ask] })) {
  if (event.type === "content_block_delta") pieces.push(event.delta.text);
}
console.log(JSON.stringify([call.name, call.input, answer.content[0].text, pieces]));
