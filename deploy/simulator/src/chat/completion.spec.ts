import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type CompletionJson,
  jsonOf,
  postToSimulator,
  rawChat,
  simulatorChatBody,
} from "../../test/client.ts";
import { type Simulator, startSimulator } from "../simulator.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ port: 0 });
});
afterAll(() => simulator.close());

async function complete(simulate: string, fields: Record<string, unknown> = {}) {
  return jsonOf<CompletionJson>(
    await postToSimulator(simulator.url, simulatorChatBody(fields, simulate)),
  );
}

test("tokens sets the length of the text, within the request's own limit", async () => {
  const completion = await complete("tokens=50");
  expect(completion.choices[0]!.message.content.length).toBe(200);
  expect(completion.choices[0]!.finish_reason).toBe("stop");
  expect(completion.usage.completion_tokens).toBe(50);
  const limited = await complete("tokens=50", { max_tokens: 7 });
  expect(limited.usage.completion_tokens).toBe(7);
  expect(limited.choices[0]!.finish_reason).toBe("length");
});

test("unicode produces emoji and multi-byte text", async () => {
  const { content } = (await complete("unicode")).choices[0]!.message;
  expect(content).toContain("東京 👋🏽");
});

test("unicode text of any length contains only complete characters", async () => {
  for (let tokens = 1; tokens <= 40; tokens += 1) {
    const completion = await complete(`unicode&tokens=${tokens}`);
    expect(completion.choices[0]!.message.content.isWellFormed()).toBe(true);
    expect(completion.usage.completion_tokens).toBe(tokens);
  }
});

test("usage reports exactly the commanded numbers", async () => {
  const { usage } = await complete("usage=120,40");
  expect(usage).toMatchObject({ prompt_tokens: 120, completion_tokens: 40, total_tokens: 160 });
});

test("no_usage omits usage", async () => {
  expect(await complete("no_usage&cost&usage=1,1")).not.toHaveProperty("usage");
});

test("no_head omits id, object and created", async () => {
  const completion = await complete("no_head");
  expect(Object.keys(completion)).toEqual(["model", "choices", "usage"]);
});

test("own_session adds a session_id", async () => {
  expect(await complete("own_session")).toHaveProperty("session_id");
});

test("no_choices sends an empty list, and reports usage", async () => {
  const completion = await complete("no_choices");
  expect(completion).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 3, completion_tokens: 0 },
  });
});

test("cost adds the provider's own cost", async () => {
  const completion = await complete("cost&usage=1000,1000");
  expect(completion.cost).toBe(0.0005);
  expect(completion.usage.cost).toBe(0.0005);
  expect(completion.usage.cost_details).toEqual({ prompt_cost: 0.0001, completion_cost: 0.0004 });
});

test("garbage sends a body that is not JSON", async () => {
  const response = await postToSimulator(simulator.url, simulatorChatBody({}, "garbage"));
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  await expect(response.json()).rejects.toThrow(SyntaxError);
});

test("cut_after sends half of the Content-Length", async () => {
  const { text } = await rawChat(simulator.url, simulatorChatBody({ user: "half" }, "cut_after=0"));
  const [head = "", body = ""] = text.split("\r\n\r\n");
  const promised = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  expect(body.length).toBe(Math.floor(promised / 2));
  expect(simulator.calls.list({ user: "half" })[0]?.outcome).toBe("cut");
});

test("trickle_ms sends the body in several chunks", async () => {
  const { reads, body } = await rawChat(simulator.url, simulatorChatBody({}, "trickle_ms=15"));
  expect(reads.length).toBeGreaterThan(2);
  expect(JSON.parse(body).object).toBe("chat.completion");
});

test("a tool call respects the token limit", async () => {
  const tool = { type: "function", function: { name: "lookup", parameters: { enum: ["abcdef"] } } };
  const completion = await complete("", { tools: [tool], max_tokens: 2 });
  expect(completion.choices[0]!.message.tool_calls![0]!.function.arguments).toBe('"a');
  expect(completion.choices[0]!.finish_reason).toBe("length");
  expect(completion.usage.completion_tokens).toBe(2);
});
