import { memberOf } from "../refusal-message.ts";
import { createRefusalReader } from "../refusal-words.ts";

/** https://elevenlabs.io/docs/eleven-api/resources/errors. Most are a 401 or a 400 with a status of its own. */
export const elevenlabsRefusals = createRefusalReader({
  messagesIn(body) {
    const detail = memberOf(body, "detail");
    return [memberOf(detail, "message"), detail];
  },
  codes: {
    api_key_expired: "key_or_bill",
    authentication_error: "key_or_bill",
    detected_unusual_activity: "key_or_bill",
    invalid_authorization_header: "key_or_bill",
    missing_api_key: "key_or_bill",
    missing_permissions: "key_or_bill",
    needs_authorization: "key_or_bill",
    payment_issue: "key_or_bill",
    payment_required: "key_or_bill",
    quota_exceeded: "key_or_bill",
    concurrent_limit_exceeded: "rate",
    too_many_concurrent_requests: "rate",
    max_character_limit_exceeded: "too_large",
    text_too_long: "too_large",
  },
  phrases: [
    // Shorter texts are still served.
    [/^This request exceeds your quota of [\d,]+\. You have [1-9][\d,]* credits/, "too_large"],
  ],
  // Also 401 for what the client asked for, such as a voice or a format that the plan has not.
  otherwise({ status, body }) {
    const own = memberOf(memberOf(body, "detail"), "status");
    return status === 401 && typeof own === "string" ? "bad_request" : undefined;
  },
});
