import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { errorMessageOf } from "./query-client.ts";

const notReached = "The console cannot be reached. Check that it is running, and try again.";

test("a console that does what it can says itself what is unavailable", () => {
  const error = new ConnectError("The ledger does not respond.", Code.Unavailable);
  expect(errorMessageOf(error)).toBe("The ledger does not respond.");
});

test.each([
  ConnectError.from(new TypeError("Failed to fetch")),
  ConnectError.from(new TypeError("NetworkError when attempting to fetch resource.")),
  new ConnectError("HTTP 502", Code.Unavailable),
])("a console that does not respond cannot be reached: %s", (error) => {
  expect(errorMessageOf(error)).toBe(notReached);
});
