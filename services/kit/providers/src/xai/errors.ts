import { memberOf } from "../refusal-message.ts";
import { createRefusalReader } from "../refusal-words.ts";

/** xAI has the message as `error` itself. A wrong key is a 400, and a lack of credits a 403 or a 429. */
export const xaiRefusals = createRefusalReader({
  messagesIn: (body) => [memberOf(body, "error")],
  phrases: [
    [/^Your team \S+ has either used all available credits/, "key_or_bill"],
    [/^Your newly created teams? doesn't have any credits/, "key_or_bill"],
    [/^You have run out of credits/, "key_or_bill"],
    [/^(The |Your )?API key is (currently )?(blocked|disabled)/, "key_or_bill"],
  ],
});
