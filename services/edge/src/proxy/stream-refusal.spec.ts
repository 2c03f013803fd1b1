import { expect, test } from "vitest";
import { streamRefusal } from "./stream-refusal.ts";

const frame = (code: string) =>
  JSON.stringify({ error: { code, message: "no", param: "model", retryable: false } });

test("an error that the service sends first is a refusal", () => {
  const refused = { code: "model_not_found", message: "no", param: "model", status: 404 };
  expect(streamRefusal(frame("model_not_found"))).toMatchObject({ ...refused, hasRecord: false });
});

test("a failure of a provider is in the ledger", () => {
  expect(streamRefusal(frame("upstream_rejected"))).toMatchObject({ hasRecord: true });
});

test.each([
  '{"type":"transcription.partial","text":"error"}',
  frame("no_such_code"),
  "not JSON",
])("another message is none: %s", (text) => {
  expect(streamRefusal(text)).toBeUndefined();
});
