import { describe, expect, test } from "vitest";
import { mistralUnderTest } from "../../test/kinds.ts";
import {
  rejectionReason,
  respondWithJson,
  sendEvents,
  startProvider,
} from "../../test/provider-of-kind.ts";

const user = { role: "user", content: "Who is the best French painter?" };
const base = { messages: [user], max_completion_tokens: 100 };
const usage = { prompt_tokens: 20, total_tokens: 50, completion_tokens: 30 };
const head = { id: "cmpl-e5cc70bb28c444948073e77776eb30ef", created: 1_702_256_327 };

function completion(message: object, finish_reason = "stop") {
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
  return { ...head, object: "chat.completion", model: "magistral", choices, usage };
}

function streamOf(...chunks: object[]): string {
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return `${events.join("")}data: [DONE]\n\n`;
}

function chunk(delta: object, finish_reason: string | null = null, more: object = {}) {
  const choices = [{ index: 0, delta, finish_reason }];
  return { ...head, object: "chat.completion.chunk", model: "magistral", choices, ...more };
}

/**
 * Responses in the form of Mistral's reference: https://docs.mistral.ai/api/endpoint/chat and
 * https://docs.mistral.ai/capabilities/reasoning
 */
describe("a response of Mistral", () => {
  const thought = { type: "thinking", thinking: [{ type: "text", text: "Let me think." }] };

  test("with thinking is a completion with reasoning_content", async () => {
    const content = [thought, { type: "text", text: "Monet." }];
    const { post } = await startProvider(mistralUnderTest, (res) =>
      respondWithJson(res, 200, completion({ content, tool_calls: null })),
    );
    expect(await post(base)).toMatchObject({
      choices: [
        {
          finish_reason: "stop",
          message: { content: "Monet.", reasoning_content: "Let me think." },
        },
      ],
      usage,
    });
  });

  test("with thinking is a stream whose last chunk has Mistral's own usage block", async () => {
    const events = streamOf(
      chunk({ role: "assistant", content: "" }),
      chunk({ content: [thought] }),
      chunk({ content: "Monet." }),
      chunk({ content: "" }, "stop", { usage: { ...usage, num_cached_tokens: 7 } }),
    );
    const { stream } = await startProvider(mistralUnderTest, (res) => sendEvents(res, events));
    const chunks = await stream({ ...base, stream: true });
    expect(chunks).toMatchObject([
      { choices: [{ delta: { role: "assistant", reasoning_content: "Let me think." } }] },
      { choices: [{ delta: { content: "Monet." } }] },
      { choices: [{ delta: {}, finish_reason: "stop" }] },
      { choices: [], usage: { ...usage, num_cached_tokens: 7 } },
    ]);
  });

  test("with whole calls in one chunk is a stream of calls by their indexes", async () => {
    const called = { name: "get_weather", arguments: '{"city":"Paris"}' };
    const tool_calls = ["D681PevKs", "aB3dE5gH7"].map((id, index) => {
      return { id, function: called, index };
    });
    const events = streamOf(
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "", tool_calls }, "tool_calls", { usage }),
    );
    const { stream } = await startProvider(mistralUnderTest, (res) => sendEvents(res, events));
    const chunks = await stream({ ...base, stream: true });
    const calls = chunks.flatMap(({ choices }) => {
      const [choice] = choices as { delta: { tool_calls?: object[] } }[];
      return choice?.delta.tool_calls ?? [];
    });
    expect(calls).toMatchObject([
      { index: 0, id: "D681PevKs", function: { name: "get_weather" } },
      { index: 0, function: { arguments: called.arguments } },
      { index: 1, id: "aB3dE5gH7", function: { name: "get_weather" } },
      { index: 1, function: { arguments: called.arguments } },
    ]);
  });

  test.each([
    ["model_length", "length"],
    ["length", "length"],
    ["tool_calls", "tool_calls"],
  ])("that finishes with %s has the finish reason %s", async (given, reason) => {
    const { post } = await startProvider(mistralUnderTest, (res) =>
      respondWithJson(res, 200, completion({ content: "a" }, given)),
    );
    expect(await post(base)).toMatchObject({ choices: [{ finish_reason: reason }] });
  });

  test("that fails within its stream is a failure with the status of the event", async () => {
    const error = {
      object: "error",
      message: "Service unavailable.",
      type: "unreachable_backend",
      param: null,
      code: "1100",
      raw_status_code: 503,
    };
    const { stream } = await startProvider(mistralUnderTest, (res) =>
      sendEvents(res, streamOf(error)),
    );
    expect(await rejectionReason(stream({ ...base, stream: true }))).toMatchObject({ status: 503 });
  });

  test.each([
    [400, "Tool call id was a but must be a-z, A-Z, 0-9, with a length of 9."],
    [422, { detail: [{ type: "extra_forbidden", loc: ["body", "a"], msg: "Extra inputs" }] }],
  ])("that refuses the request with %s says why", async (status, message) => {
    const error = { object: "error", message, type: "invalid_request_error", param: null };
    const { post } = await startProvider(mistralUnderTest, (res) =>
      respondWithJson(res, status, error),
    );
    const hint = typeof message === "string" ? message : "Extra inputs";
    expect(await rejectionReason(post(base))).toMatchObject({ status, hint });
  });
});

describe("a request to Mistral", () => {
  test("has the ids of its own calls, and hashes of another provider's", async () => {
    const { bodies, post } = await startProvider(mistralUnderTest);
    const ids = ["D681PevKs", "toolu_01VpEm654HvfMoRcrE3Hgdc6"];
    const called = { name: "f", arguments: "{}" };
    const tool_calls = ids.map((id) => ({ id, type: "function", function: called }));
    const results = ids.map((tool_call_id) => ({ role: "tool", tool_call_id, content: "text" }));
    const messages = [user, { role: "assistant", content: null, tool_calls }, ...results];
    await post({ ...base, messages });
    type Sent = { tool_calls: { id: string }[]; tool_call_id: string };
    const [, assistant, first, second] = (bodies[0]?.messages ?? []) as Sent[];
    expect(assistant?.tool_calls.map(({ id }) => id)).toEqual([
      "D681PevKs",
      expect.stringMatching(/^[a-zA-Z0-9]{9}$/),
    ]);
    expect(first?.tool_call_id).toBe("D681PevKs");
    expect(second?.tool_call_id).toBe(assistant?.tool_calls[1]?.id);
  });

  test("has the members of Mistral's own that the model passes, and one seed", async () => {
    const { bodies, check, post, stream } = await startProvider(mistralUnderTest);
    const own = { safe_prompt: true, prompt_mode: "reasoning", random_seed: 7 };
    await check({ ...base, ...own });
    await post({ ...base, ...own });
    await post({ ...base, ...own, seed: 8 });
    await stream({ ...base, ...own, stream: true }).catch(() => undefined);
    const sent = { ...own, max_tokens: 100, messages: [expect.objectContaining({ role: "user" })] };
    expect(bodies).toMatchObject([sent, { ...sent, random_seed: 8 }, { ...sent, stream: true }]);
    expect(Object.keys(bodies[0] ?? {})).not.toContain("max_completion_tokens");
  });

  test.each([
    [true, { strict: true }],
    [false, { strict: false }],
  ])("has a schema whose strictness is the client's: %s", async (strict, sent) => {
    const { bodies, post } = await startProvider(mistralUnderTest);
    const json_schema = { name: "a", schema: { type: "object" }, strict };
    await post({ ...base, response_format: { type: "json_schema", json_schema } });
    expect(bodies[0]).toMatchObject({ response_format: { json_schema: sent } });
  });

  test("has an effort that the model has, or it is refused by name", async () => {
    const latest = { ...mistralUnderTest, modelId: "magistral-medium-latest" };
    const { check } = await startProvider(latest);
    await check({ ...base, reasoning_effort: "high" });
    const error = await rejectionReason(check({ ...base, reasoning_effort: "medium" }));
    expect(error).toMatchObject({ code: "invalid_param", param: "reasoning_effort" });
  });
});
