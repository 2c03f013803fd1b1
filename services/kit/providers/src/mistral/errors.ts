import { objectsIn } from "@tollgate/core/json";
import { memberOf } from "../refusal-message.ts";
import { createRefusalReader } from "../refusal-words.ts";

/** Mistral has a list of reasons in the message where fields are not valid. */
export const mistralRefusals = createRefusalReader({
  messagesIn(body) {
    const message = memberOf(body, "message");
    return [message, objectsIn(memberOf(message, "detail"))[0]?.msg];
  },
  codes: { rate_limited: "rate", service_tier_capacity_exceeded: "rate" },
  phrases: [[/^Inactive subscription or usage limit reached/, "key_or_bill"]],
});

/** Returns the HTTP status of an error in a stream, which the package has in that of its validation. */
export function mistralStatusOfEvent(error: unknown): number | undefined {
  const status = memberOf(memberOf(error, "value"), "raw_status_code");
  return typeof status === "number" ? status : undefined;
}
