import { expect, test } from "vitest";
import { type KindName, readRefusalOf } from "../test/read-refusal.ts";
import { vendors } from "./index.ts";

test.each([
  ["retry-after", "7", 7_000],
  ["retry-after", "0", 0],
  ["retry-after-ms", "1500", 1_500],
  ["retry-after", "soon", undefined],
])("any provider's %s: %s is %s ms", async (name, value, retryAfterMs) => {
  const failures = Object.keys(vendors).map((kind) =>
    readRefusalOf(kind as KindName, 429, {}, { [name]: value }),
  );
  for (const failure of await Promise.all(failures))
    expect(failure.retryAfterMs).toBe(retryAfterMs);
});

test("a Retry-After may be a date", async () => {
  const date = new Date(Date.now() + 20_000).toUTCString();
  const { retryAfterMs } = await readRefusalOf("openai", 429, {}, { "retry-after": date });
  expect(retryAfterMs).toBeGreaterThan(17_000);
  expect(retryAfterMs).toBeLessThanOrEqual(20_000);
});

test("vendors also say elsewhere when to come again", async () => {
  const retryInfo = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" };
  const refused = {
    error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "No.", details: [retryInfo] },
  };
  const ofGoogle = await readRefusalOf("google", 429, refused);
  expect(ofGoogle.retryAfterMs).toBeCloseTo(34_070);
  const headers = { "X-RateLimit-Reset": String(Date.now() + 30_000) };
  const body = { error: { code: 429, message: "Rate limit exceeded", metadata: { headers } } };
  const ofOpenRouter = await readRefusalOf("openai", 429, body);
  expect(ofOpenRouter.retryAfterMs).toBeGreaterThan(25_000);
});
