import { memberOf } from "../refusal-message.ts";
import { createRefusalReader } from "../refusal-words.ts";

/** https://api.jina.ai/redoc */
export const jinaRefusals = createRefusalReader({
  messagesIn: (body) => [memberOf(body, "detail")],
  codesIn: ({ body }) => [memberOf(body, "name")],
  codes: { InsufficientBalanceError: "key_or_bill" },
  phrases: [[/^(Account balance not enough|Insufficient (account )?balance)/i, "key_or_bill"]],
});
