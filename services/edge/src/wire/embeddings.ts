import { codePoints } from "@tollgate/kit/code-points";
import type { Client } from "@tollgate/kit/rpc/implementation";
import type { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { z } from "zod";
import type { BillableRoute } from "../billable.ts";
import { alias, integerFrom, oneOf, texts } from "./fields.ts";
import { jsonRoute } from "./json-route.ts";

/** POST /v1/embeddings */
export function embeddings(chat: Client<typeof ChatService>): BillableRoute {
  return jsonRoute(schema, (fields, call, options) => {
    const inputs = [fields.input].flat();
    const textBytes = inputs.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const textCharacters = inputs.reduce((sum, text) => sum + codePoints(text), 0);
    const request = {
      ...call(fields),
      textBytes: BigInt(textBytes),
      textCharacters: BigInt(textCharacters),
    };
    return chat.embed(request, options);
  });
}

const schema = z.strictObject({
  model: alias,
  input: z
    .unknown()
    .refine((input) => !isTokens(input), "must be text: token arrays are not taken")
    .pipe(texts),
  encoding_format: oneOf(["float", "base64"]),
  dimensions: integerFrom(1),
});

/** Whether an input is an array of token ids, or of such arrays. */
function isTokens(input: unknown): boolean {
  const first: unknown = Array.isArray(input) ? input[0] : undefined;
  return typeof first === "number" || Array.isArray(first);
}
