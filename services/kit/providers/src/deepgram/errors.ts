import { memberOf } from "../refusal-message.ts";
import { createRefusalReader } from "../refusal-words.ts";

/** https://developers.deepgram.com/docs/errors */
export const deepgramRefusals = createRefusalReader({
  messagesIn: (body) => [memberOf(body, "err_msg")],
  codes: {
    ASR_PAYMENT_REQUIRED: "key_or_bill",
    INVALID_AUTH: "key_or_bill",
    PAYMENT_REQUIRED: "key_or_bill",
    TOO_MANY_REQUESTS: "rate",
  },
});
