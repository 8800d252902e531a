// openai: chat with a tool, a stream, and the Responses API streamed.
import OpenAI from "openai";

const client = new OpenAI();
const tool = {
  type: "function",
  function: {
    name: "weather",
    description: "The weather in a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const ask = { role: "user", content: "How warm is it in Oslo?" };

const called = (await client.chat.completions.create({ model: "m-1", messages: [ask], tools: [tool] })).choices[0].message;
const told = { role: "tool", tool_call_id: called.tool_calls[0].id, content: "7 degrees" };
const answer = await client.chat.completions.create({ model: "m-1", messages: [ask, called, told], tools: [tool] });
const pieces = [];
for await (const piece of await client.chat.completions.create({ model: "m-1", messages: [ask], stream: true })) {
  if (piece.choices.length) pieces.push(piece.choices[0].delta.content);
}
const deltas = [];
for await (const event of await client.responses.create({ model: "m-1", input: "How warm is it?", stream: true })) {
  if (event.type === "response.output_text.delta") deltas.push(event.delta);
}
console.log(JSON.stringify([called.tool_calls[0].function, answer.choices[0].message.content, pieces, deltas]));
