// ai with @ai-sdk/openai: text with a tool in several steps, and a stream.
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const model = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL }).chat("m-1");
const weather = tool({
  description: "The weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `7 degrees in ${city}`,
});
const prompt = "How warm is it in Oslo?";

const whole = await generateText({ model, prompt, tools: { weather }, stopWhen: stepCountIs(3) });
const pieces = [];
for await (const piece of streamText({ model, prompt }).textStream) pieces.push(piece);
console.log(JSON.stringify([whole.steps.map((step) => step.toolCalls.map((call) => call.input)), whole.text, pieces]));
