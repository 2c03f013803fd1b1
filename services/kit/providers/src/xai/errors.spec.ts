import { expect, test } from "vitest";
import { refusalMessage } from "./errors.ts";

test.each([
  ["Argument not supported: size", "Argument not supported: size"],
  ["Incorrect API key provided: se***et. You can obtain an API key from https://x.ai.", undefined],
])("a refusal is shown where it is about the request: %s", (error, message) => {
  const code = "Client specified an invalid argument";
  expect(refusalMessage({ code, error })).toBe(message);
});
