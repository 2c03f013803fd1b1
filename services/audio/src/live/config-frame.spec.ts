import type { Model } from "@tollgate/catalog/model";
import { expect, test } from "vitest";
import { readConfigFrame } from "./config-frame.ts";

const model = { alias: "a" } as Model;

function read(rates: object) {
  const text = JSON.stringify({ model: "a", format: "pcm_s16le", ...rates });
  return readConfigFrame({ kind: "text", text }, () => model);
}

test.each([
  {},
  { sample_rate: null, channels: null },
  { sample_rate: 16_000, channels: 1 },
])("rates that are missing, null or the supported ones are accepted: %o", (rates) => {
  expect(read(rates)).toBe(model);
});

test.each([
  ["sample_rate", { sample_rate: 0 }],
  ["channels", { sample_rate: null, channels: "" }],
])("any other %s is refused", (param, rates) => {
  const refused = expect.objectContaining({ code: "invalid_param", param });
  expect(() => read(rates)).toThrow(refused);
});
