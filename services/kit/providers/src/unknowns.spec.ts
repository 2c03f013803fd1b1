import type { JsonObject } from "@tollgate/core/json";
import { createUnknowns } from "@tollgate/core/testing/unknowns";
import { expect, test } from "vitest";
import { completeFrom, streamFrom } from "../test/provider-in-memory.ts";
import {
  bedrockSamples,
  blockDelta,
  cohereEvent,
  cohereSamples,
  type SampleAnswers,
  samplesByKind,
} from "../test/sample-answers.ts";
import {
  billedOf,
  encodeSamples,
  inPieces,
  joinChunks,
  mediaTypeOf,
} from "../test/sample-streams.ts";

const runs = 25;

/** Returns what a completion says, with what it is billed by. */
function said({ kind }: SampleAnswers, completion: JsonObject): JsonObject {
  const { object: _, ...rest } = completion;
  return { ...rest, usage: billedOf(kind, completion.usage) };
}

test.each(
  Object.entries(samplesByKind),
)("what %s may add changes no whole response", async (_, samples) => {
  const { kind, answer, free } = samples;
  const bytesOf = (value: object) => Buffer.from(JSON.stringify(value));
  const plain = said(samples, await completeFrom(kind, bytesOf(answer)));
  const message = {
    reasoning_content: "Let me see.",
    tool_calls: [{ function: { name: "weather" } }],
  };
  expect(plain).toMatchObject({ choices: [{ message, finish_reason: "tool_calls" }] });
  expect(plain).toMatchObject({
    choices: [{ message: { content: expect.stringMatching(/^Sunny\./) } }],
  });
  for (let seed = 0; seed < runs; seed += 1) {
    const added = createUnknowns(seed, { free }).addTo(answer);
    const completion = await completeFrom(kind, bytesOf(added)).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${JSON.stringify(added)}`, { cause: error });
    });
    expect(said(samples, completion), `seed ${seed}`).toEqual(plain);
  }
});

test.each(
  Object.entries(samplesByKind),
)("what %s may add changes no stream", async (_, samples) => {
  const { kind, free } = samples;
  const mediaType = mediaTypeOf(samples);
  const whole = await streamFrom(kind, mediaType, [encodeSamples(samples, undefined)]);
  const plain = joinChunks(samples, whole);
  expect(plain).toMatchObject({ finish: ["tool_calls"], calls: [{ index: 0 }, {}] });
  expect(plain).toMatchObject({
    content: expect.stringMatching(/^Sunny\./),
    reasoning: "Let me see.",
  });
  for (let seed = 0; seed < runs; seed += 1) {
    const bytes = encodeSamples(samples, createUnknowns(seed, { free }));
    const chunks = await streamFrom(kind, mediaType, inPieces(bytes, seed)).catch(
      (error: unknown) => {
        throw new Error(`seed ${seed}: ${bytes.toString("latin1")}`, { cause: error });
      },
    );
    expect(joinChunks(samples, chunks), `seed ${seed}`).toEqual(plain);
  }
});

test("the text of an unknown part is left out, and not that of others", async () => {
  const unknown = cohereEvent("content-start", { content: { type: "audio", text: "" } });
  const ofCohere = [
    { ...unknown, index: 1 },
    { ...cohereEvent("content-delta", { content: { text: "Rain." } }), index: 1 },
    { type: "content-end", index: 1 },
  ];
  const ofBedrock = [
    { contentBlockStart: { contentBlockIndex: 9, start: { audio: { id: "a" } } } },
    blockDelta(9, { text: "Rain." }),
    { contentBlockStop: { contentBlockIndex: 9 } },
  ];
  for (const [samples, added] of [
    [cohereSamples, ofCohere],
    [bedrockSamples, ofBedrock],
  ] as const) {
    const { kind, events } = samples;
    const bytes = samples.encode([events[0] ?? {}, ...added, ...events.slice(1)], undefined);
    const said = joinChunks(samples, await streamFrom(kind, mediaTypeOf(samples), [bytes]));
    expect(said).toMatchObject({ content: "Sunny." });
  }
});
