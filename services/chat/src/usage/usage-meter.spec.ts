import type { Model, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import { expect, test, vi } from "vitest";
import { countedUsage } from "./usage.ts";
import { UsageCounter } from "./usage-counter.ts";
import { type MeteredCall, UsageMeter } from "./usage-meter.ts";

/** Counts ten tokens of each text. */
const tokenizer = { count: async (texts: readonly unknown[]) => texts.map(() => 10) };
const figures = { imageTokens: 1_000, pageTokens: 2_000, audioTokensPerSecond: 100 };
const pdf = Buffer.from("%PDF-1.7 /Type /Page /Type /Page").toString("base64");
const fileData = `data:application/pdf;base64,${pdf}`;

/** Returns a call with one message. */
function callOf(content: readonly object[], model: Partial<Model> = figures): MeteredCall {
  const json = { messages: [{ role: "user", content }] } as unknown as JsonObject;
  const client = { json, mayHave: () => true };
  const slot = { id: "p/m" } as Slot;
  return { model: model as Model, slot, accountId: "account", client, request: () => json };
}

/** Resolves with what is counted of a chat with one message, whose provider reported nothing. */
function countedOf(content: readonly object[], model?: Partial<Model>) {
  return new UsageMeter(tokenizer).usageOf(callOf(content, model), new UsageCounter());
}

const text = { type: "text", text: "See" };
const image = { type: "image_url", image_url: { url: "https://images.test/a.png" } };
const file = { type: "file", file: { file_data: fileData } };
const audio = { type: "input_audio", input_audio: { data: "A".repeat(8_000), format: "mp3" } };

test.each<[string, readonly object[], bigint]>([
  // Ten tokens of text, and four of the message.
  ["text", [text], 14n],
  ["two images", [text, image, image], 2_014n],
  ["a document of two pages", [text, file], 4_014n],
  // Its 6,000 bytes are three seconds.
  ["audio", [text, audio], 314n],
])("what a provider has not reported of %s is counted by the figures of the model", async (_, content, tokens) => {
  const { promptTokens, basis } = await countedOf(content);
  expect([promptTokens, basis]).toEqual([tokens, "tokenized"]);
});

test("a model without figures has those that are held for it", async () => {
  expect((await countedOf([text, image], {})).promptTokens).toBe(1_214n);
  expect((await countedOf([text, file], {})).promptTokens).toBe(6_014n);
});

test("a completed call teaches what its model counts, and one with a short prompt is not even read", () => {
  const learntFrom = (promptTokens: bigint) => {
    const count = vi.fn(tokenizer.count);
    const usage = { ...countedUsage(promptTokens, 1n), basis: "provider" as const };
    new UsageMeter({ count }).learn(callOf([text]), usage, () => new UsageCounter(), 3n);
    return count.mock.calls.length;
  };
  expect([0n, 499n, 500n].map(learntFrom)).toEqual([0, 0, 1]);
});
