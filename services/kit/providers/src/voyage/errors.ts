import { memberOf } from "../refusal-message.ts";
import { createRefusalReader } from "../refusal-words.ts";

/** https://docs.voyageai.com/docs/error-codes */
export const voyageRefusals = createRefusalReader({
  messagesIn: (body) => [memberOf(body, "detail")],
  phrases: [
    [
      /^Request to model '[^']*' failed\. The max allowed tokens per submitted batch is/,
      "too_large",
    ],
  ],
});
