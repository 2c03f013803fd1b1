import { memberOf } from "../refusal-message.ts";
import { createRefusalReader } from "../refusal-words.ts";

/** https://elevenlabs.io/docs/eleven-api/resources/errors. Most are a 401 or a 400 with a status of its own. */
export const elevenlabsRefusals = createRefusalReader({
  messagesIn(body) {
    const detail = memberOf(body, "detail");
    return [memberOf(detail, "message"), detail];
  },
  codes: {
    detected_unusual_activity: "key_or_bill",
    missing_permissions: "key_or_bill",
    payment_required: "key_or_bill",
    quota_exceeded: "key_or_bill",
    concurrent_limit_exceeded: "rate",
    too_many_concurrent_requests: "rate",
    max_character_limit_exceeded: "too_large",
    text_too_long: "too_large",
    // What the client asked for: a voice or a format that the plan has not. The status may be 401.
    free_users_not_allowed: "bad_request",
    "only_for_creator+": "bad_request",
    output_format_not_allowed: "bad_request",
    voice_access_denied: "bad_request",
    voice_not_found: "bad_request",
  },
  phrases: [
    // Shorter texts are still served.
    [/^This request exceeds your quota of [\d,]+\. You have [1-9][\d,]* credits/, "too_large"],
  ],
});
