import { memberOf } from "../refusal-message.ts";
import { createRefusalReader } from "../refusal-words.ts";

/** https://docs.cohere.com/reference/errors */
export const cohereRefusals = createRefusalReader({
  messagesIn: (body) => [memberOf(body, "message")],
  phrases: [
    [/^invalid api token/i, "key_or_bill"],
    // A trial key has a limit of each minute, which is a rate, and one of each month.
    [/^You are using a Trial key, which is limited to [\d,]+ API calls \/ month/, "key_or_bill"],
  ],
});
