import type { JsonObject } from "@tollgate/core/json";
import { expect, test } from "vitest";
import { bedrockUnderTest, cohereUnderTest, gemini, mistralUnderTest } from "../test/kinds.ts";
import { completeFrom, streamFrom } from "../test/provider-in-memory.ts";
import type { KindUnderTest } from "../test/provider-of-kind.ts";
import {
  cohereCall,
  cohereEvent,
  cohereSamples,
  cohereUsage,
  encodeLines,
  mistralCall,
  mistralChunk,
  mistralSamples,
  type SampleAnswers,
  samplesByKind,
} from "../test/sample-answers.ts";
import { encodeSamples, inPieces, joinChunks, mediaTypeOf } from "../test/sample-streams.ts";

test.each<[string, KindUnderTest, JsonObject]>([
  ["bedrock", bedrockUnderTest, { stopReason: "guardrail_intervened" }],
  ["cohere", cohereUnderTest, { finish_reason: "COMPLETE", message: null, usage: {} }],
  ["google", gemini, { candidates: [{ finishReason: "SAFETY" }] }],
  ["mistral", mistralUnderTest, { choices: [{ finish_reason: "stop" }] }],
])("a reason to finish is all that a response of %s needs, and is not billed as nothing", async (_, kind, answer) => {
  const completion = await completeFrom(kind, Buffer.from(JSON.stringify(answer)));
  expect(completion).toMatchObject({
    choices: [{ finish_reason: expect.stringMatching(/^(stop|content_filter)$/) }],
  });
  expect(kind.vendor.chat?.readUsageBlock(completion.usage)).toBeUndefined();
});

test.each(
  Object.entries(samplesByKind),
)("a whole answer of %s is a stream, and its error is an error", async (_, samples) => {
  const { kind, answer } = samples;
  const whole = Buffer.from(` ${JSON.stringify(answer)}`);
  const { choices } = await completeFrom(kind, whole);
  const { message } = (choices as { message: JsonObject }[])[0] ?? expect.unreachable();
  const chunks = await streamFrom(kind, "application/json", inPieces(whole, 1));
  const streamed = await streamFrom(kind, mediaTypeOf(samples), [
    encodeSamples(samples, undefined),
  ]);
  expect(joinChunks(samples, chunks)).toMatchObject({
    content: message.content,
    reasoning: message.reasoning_content,
    details: message.reasoning_details ?? [],
    calls: message.tool_calls,
    finish: ["tool_calls"],
    usage: joinChunks(samples, streamed).usage,
  });
  const error = { code: 429, type: "rate_limit_error", message: "Slow down" };
  const reported = Buffer.from(JSON.stringify({ error }));
  await expect(streamFrom(kind, "application/json", [reported])).rejects.toMatchObject({
    message: "the provider's response reports an error",
  });
});

test("a call without an id has one, in a stream, too", async () => {
  const { id: _, ...ofCohere } = cohereCall("{}");
  const { id: __, ...ofMistral } = mistralCall;
  const message = { role: "assistant", tool_calls: [ofMistral] };
  const answers: [SampleAnswers, JsonObject, JsonObject[]][] = [
    [
      cohereSamples,
      { finish_reason: "TOOL_CALL", message: { tool_calls: [ofCohere] } },
      [cohereEvent("tool-call-start", { tool_calls: ofCohere }), cohereSamples.events.at(-1) ?? {}],
    ],
    [
      mistralSamples,
      { choices: [{ index: 0, message, finish_reason: "tool_calls" }] },
      [mistralChunk({ tool_calls: [ofMistral] }, { finish_reason: "tool_calls" })],
    ],
  ];
  for (const [samples, answer, events] of answers) {
    const call = { id: expect.stringMatching(/^call_/), function: { name: "weather" } };
    const whole = await completeFrom(samples.kind, Buffer.from(JSON.stringify(answer)));
    expect(whole).toMatchObject({ choices: [{ message: { tool_calls: [call] } }] });
    const bytes = encodeLines(events, undefined);
    const chunks = await streamFrom(samples.kind, "text/event-stream", [bytes]);
    expect(joinChunks(samples, chunks).calls).toMatchObject([call, {}]);
  }
});

test("a call of Cohere that the limit has cut is an answer", async () => {
  const begun = cohereEvent("tool-call-start", { tool_calls: cohereCall("") });
  const cut = cohereEvent("tool-call-delta", {
    tool_calls: { function: { arguments: '{"path": "a' } },
  });
  const end = { type: "message-end", delta: { finish_reason: "MAX_TOKENS", usage: cohereUsage } };
  const bytes = encodeLines([begun, cut, { type: "tool-call-end", index: 0 }, end], undefined);
  const chunks = await streamFrom(cohereUnderTest, "text/event-stream", [bytes]);
  expect(joinChunks(cohereSamples, chunks)).toMatchObject({ finish: ["length"], calls: [{}, {}] });
});

test("a streamed call of Cohere without arguments has an empty object", async () => {
  const begun = cohereEvent("tool-call-start", { tool_calls: cohereCall("") });
  const end = { type: "message-end", delta: { finish_reason: "TOOL_CALL", usage: cohereUsage } };
  const bytes = encodeLines([begun, { type: "tool-call-end", index: 0 }, end], undefined);
  const chunks = await streamFrom(cohereUnderTest, "text/event-stream", [bytes]);
  expect(joinChunks(cohereSamples, chunks)).toMatchObject({
    finish: ["tool_calls"],
    calls: [{ index: 0 }, { index: 0, function: { arguments: "{}" } }],
  });
});
