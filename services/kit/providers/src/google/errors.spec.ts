import { expect, test } from "vitest";
import { refusalMessage } from "./errors.ts";

test.each([
  {
    message: "API key not valid. Please pass a valid API key.",
    status: "INVALID_ARGUMENT",
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
  },
  {
    message: "User location is not supported for the API use.",
    status: "FAILED_PRECONDITION",
  },
])("a refusal that is about the gateway's account is not shown: $status", (error) => {
  expect(refusalMessage({ error: { code: 400, ...error } })).toBeUndefined();
});

test("a refusal that is about the request is shown", () => {
  const error = { code: 400, message: "Invalid value at 'contents'", status: "INVALID_ARGUMENT" };
  expect(refusalMessage({ error })).toBe("Invalid value at 'contents'");
});
