import { afterAll, beforeAll, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../simulator.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ port: 0 });
});
afterAll(() => simulator.close());

async function post(path: string, body: object, authorization = "Bearer key") {
  const response = await fetch(`${simulator.url}/xai/v1${path}`, {
    method: "POST",
    headers: { authorization },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const chat = { model: "grok-4", messages: [{ role: "user", content: "hello there" }] };
const plain = { ...chat, model: "grok-4-fast-non-reasoning" };

test("the completion excludes the tokens of reasoning, and the total includes them", async () => {
  const { text } = await post("/chat/completions", chat);
  expect(JSON.parse(text)).toMatchObject({
    usage: {
      prompt_tokens: 3,
      completion_tokens: 6,
      total_tokens: 21,
      completion_tokens_details: { reasoning_tokens: 12 },
    },
  });
  const streamed = { ...chat, stream: true, stream_options: { include_usage: true } };
  expect((await post("/chat/completions", streamed)).text).toContain('"total_tokens":21');
  expect((await post("/chat/completions", plain)).text).toContain('"total_tokens":9');
});

test.each([
  ["/chat/completions", { ...chat, logit_bias: { 1: 1 } }, "Argument not supported: logit_bias"],
  ["/chat/completions", { ...chat, stop: "END" }, "Argument not supported on this model: stop"],
  ["/images/generations", { model: "grok-2-image", prompt: "x", size: "1x1" }, "size"],
])("%s refuses what xAI does not take: %j", async (path, body, message) => {
  const { status, text } = await post(path, body);
  expect(status).toBe(400);
  const { error } = JSON.parse(text) as { error: string };
  expect(error).toContain(message);
});

test("a model that does not reason takes stop sequences", async () => {
  expect(await post("/chat/completions", { ...plain, stop: "END" })).toMatchObject({ status: 200 });
});

test("a call without a key is refused", async () => {
  expect(await post("/chat/completions", chat, "")).toMatchObject({ status: 400 });
});
