import { describe, expect, test } from "vitest";
import { cohereUnderTest } from "../../test/kinds.ts";
import {
  rejectionReason,
  respondWithJson,
  sendEvents,
  startProvider,
} from "../../test/provider-of-kind.ts";

const user = { role: "user", content: "What is an LLM?" };
const base = { messages: [user], max_completion_tokens: 100 };
const id = "ea9ac9e8-6fee-4e5b-ba83-0b0d8a1a1e16";
/** https://docs.cohere.com/docs/how-does-cohere-pricing-work: what is billed is less than what is counted. */
const usage = {
  billed_units: { input_tokens: 6_772, output_tokens: 248 },
  tokens: { input_tokens: 7_596, output_tokens: 645 },
  cached_tokens: 512,
};
const called = { name: "query_daily_sales_report", arguments: '{"day":"2023-09-29"}' };
const call = { id: "query_daily_sales_report_9x2k", type: "function", function: called };

function completion(message: object, finish_reason = "COMPLETE") {
  return { id, message: { role: "assistant", ...message }, finish_reason, usage };
}

/** Cohere names each event, also in its data, and does not end with `[DONE]`. */
function streamOf(...events: { type: string; [member: string]: unknown }[]): string {
  return events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join("");
}

const start = {
  type: "message-start",
  id,
  delta: {
    message: { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] },
  },
};

function end(finish_reason = "COMPLETE") {
  return { type: "message-end", delta: { finish_reason, usage } };
}

function part(index: number, name: "text" | "thinking", ...pieces: string[]) {
  const content = { type: name, [name]: "" };
  return [
    { type: "content-start", index, delta: { message: { content } } },
    ...pieces.map((piece) => ({
      type: "content-delta",
      index,
      delta: { message: { content: { [name]: piece } } },
    })),
    { type: "content-end", index },
  ];
}

/**
 * Responses in the form of Cohere's reference: https://docs.cohere.com/reference/chat,
 * https://docs.cohere.com/docs/streaming, https://docs.cohere.com/docs/tool-use-streaming and
 * https://docs.cohere.com/docs/reasoning
 */
describe("a response of Cohere", () => {
  test("with thinking is a completion with reasoning_content and Cohere's own usage block", async () => {
    const content = [
      { type: "thinking", thinking: "It asks for a definition." },
      { type: "text", text: "A model." },
    ];
    const { post } = await startProvider(cohereUnderTest, (res) =>
      respondWithJson(res, 200, completion({ content })),
    );
    expect(await post(base)).toMatchObject({
      choices: [
        {
          finish_reason: "stop",
          message: { content: "A model.", reasoning_content: "It asks for a definition." },
        },
      ],
      usage,
    });
  });

  test("is a stream whose last chunk has Cohere's own usage block", async () => {
    const events = streamOf(
      start,
      ...part(0, "thinking", "It asks ", "for a definition."),
      ...part(1, "text", "A ", "model."),
      end(),
    );
    const { stream } = await startProvider(cohereUnderTest, (res) => sendEvents(res, events));
    const chunks = await stream({ ...base, stream: true });
    const deltas = chunks.flatMap(({ choices }) =>
      (choices as { delta: Delta }[]).map((one) => one.delta),
    );
    expect(deltas.map((delta) => delta.reasoning_content ?? "").join("")).toBe(
      "It asks for a definition.",
    );
    expect(deltas.map((delta) => delta.content ?? "").join("")).toBe("A model.");
    expect(chunks.slice(-2)).toMatchObject([
      { choices: [{ delta: {}, finish_reason: "stop" }] },
      { choices: [], usage },
    ]);
  });

  test("with calls is a completion with tool_calls", async () => {
    const message = { tool_plan: "I will look up the sales.", tool_calls: [call] };
    const { post } = await startProvider(cohereUnderTest, (res) =>
      respondWithJson(res, 200, completion(message, "TOOL_CALL")),
    );
    expect(await post(base)).toMatchObject({
      choices: [{ finish_reason: "tool_calls", message: { tool_calls: [call] } }],
    });
  });

  test("with calls is a stream of the parts of their arguments", async () => {
    const later = (text: string) => ({
      type: "tool-call-delta",
      index: 0,
      delta: { message: { tool_calls: { function: { arguments: text } } } },
    });
    const begun = { ...call, function: { ...called, arguments: "" } };
    const plan = { type: "tool-plan-delta", delta: { message: { tool_plan: "I will look" } } };
    const events = streamOf(
      start,
      plan,
      { type: "tool-call-start", index: 0, delta: { message: { tool_calls: begun } } },
      later('{"day":'),
      later('"2023-09-29"}'),
      { type: "tool-call-end", index: 0 },
      end("TOOL_CALL"),
    );
    const { stream } = await startProvider(cohereUnderTest, (res) => sendEvents(res, events));
    const chunks = await stream({ ...base, stream: true });
    const calls = chunks.flatMap(({ choices }) =>
      (choices as { delta: Delta }[]).flatMap(({ delta }) => delta.tool_calls ?? []),
    );
    expect(calls[0]).toMatchObject({ index: 0, id: call.id, function: { name: called.name } });
    expect(calls.map((one) => one.function.arguments ?? "").join("")).toBe(called.arguments);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
  });

  test.each([
    ["COMPLETE", "stop"],
    ["STOP_SEQUENCE", "stop"],
    ["MAX_TOKENS", "length"],
    ["TOOL_CALL", "tool_calls"],
  ])("that finishes with %s has the finish reason %s", async (given, reason) => {
    const content = [{ type: "text", text: "A" }];
    const { post } = await startProvider(cohereUnderTest, (res) =>
      respondWithJson(res, 200, completion({ content }, given)),
    );
    expect(await post(base)).toMatchObject({ choices: [{ finish_reason: reason }] });
  });

  test("that finishes with ERROR is a failure", async () => {
    const content = [{ type: "text", text: "A" }];
    const { post } = await startProvider(cohereUnderTest, (res) =>
      respondWithJson(res, 200, completion({ content }, "ERROR")),
    );
    await rejectionReason(post(base));
  });

  test.each([400, 422])("that refuses the request with %s says why", async (status) => {
    const message = "invalid request: message must be at least 1 token long";
    const { post } = await startProvider(cohereUnderTest, (res) =>
      respondWithJson(res, status, { id, message }),
    );
    expect(await rejectionReason(post(base))).toMatchObject({ status, hint: message });
  });
});

describe("a request to Cohere", () => {
  test("has the names and values of Cohere", async () => {
    const { bodies, urls, post } = await startProvider(cohereUnderTest);
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    const more = { top_p: 0.5, top_k: 5, stop: ["END"], seed: 7, temperature: 0.3 };
    await post({ ...base, ...more, tools, tool_choice: "required", reasoning_effort: "none" });
    expect(urls).toEqual(["/v1/chat"]);
    expect(bodies).toEqual([
      {
        model: cohereUnderTest.modelId,
        messages: [user],
        max_tokens: 100,
        p: 0.5,
        k: 5,
        stop_sequences: ["END"],
        seed: 7,
        temperature: 0.3,
        tools,
        tool_choice: "REQUIRED",
        thinking: { type: "disabled" },
      },
    ]);
  });

  test.each([
    ["low", 4_000, 800],
    ["medium", 4_000, 2_000],
    ["high", 100_000, 31_000],
  ])("has a thinking budget for the effort %s of %s tokens", async (effort, limit, token_budget) => {
    const { bodies, post } = await startProvider(cohereUnderTest);
    await post({ ...base, max_completion_tokens: limit, reasoning_effort: effort });
    expect(bodies[0]?.thinking).toEqual({ type: "enabled", token_budget });
  });
});

interface Delta {
  content?: string;
  reasoning_content?: string;
  tool_calls?: { id?: string; function: { name?: string; arguments?: string } }[];
}
