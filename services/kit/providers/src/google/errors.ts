import { memberOf } from "../refusal-message.ts";
import { createRefusalReader } from "../refusal-words.ts";
import { retryInfoMsOf } from "./retry-info.ts";

/** https://ai.google.dev/gemini-api/docs/troubleshooting and google.rpc.ErrorInfo */
export const googleRefusals = createRefusalReader({
  codes: {
    ACCESS_TOKEN_EXPIRED: "key_or_bill",
    ACCESS_TOKEN_SCOPE_INSUFFICIENT: "key_or_bill",
    API_KEY_HTTP_REFERRER_BLOCKED: "key_or_bill",
    API_KEY_IP_ADDRESS_BLOCKED: "key_or_bill",
    API_KEY_SERVICE_BLOCKED: "key_or_bill",
    BILLING_DISABLED: "key_or_bill",
    CONSUMER_INVALID: "key_or_bill",
    CONSUMER_SUSPENDED: "key_or_bill",
    CREDENTIALS_MISSING: "key_or_bill",
    SERVICE_DISABLED: "key_or_bill",
    UNAUTHENTICATED: "key_or_bill",
    RESOURCE_EXHAUSTED: "rate",
  },
  phrases: [
    // A file that is not ready has the same status FAILED_PRECONDITION.
    [/^Gemini API free tier is not available/, "key_or_bill"],
    [/^Your API key was reported as leaked/, "key_or_bill"],
    [/^Your prepayment credits are depleted/, "key_or_bill"],
  ],
  readMore: ({ body }) => ({ retryAfterMs: retryInfoMsOf(body) }),
});

/** Returns the HTTP status of an error in a stream, where it is known. */
export function googleStatusOfEvent(error: unknown): number | undefined {
  const status = memberOf(error, "statusCode");
  return typeof status === "number" ? status : undefined;
}
