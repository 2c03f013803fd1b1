import { codePoints } from "@tollgate/core/code-points";
import type { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import type { Client } from "@tollgate/rpc/implementation";
import { z } from "zod";
import type { BillableRoute } from "../billable.ts";
import { replayedOperation } from "../openapi/billable-operation.ts";
import { jsonAnswer } from "../openapi/operation.ts";
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
    .pipe(
      texts.describe("A text, or texts of which each gets a vector. Token arrays are refused."),
    ),
  encoding_format: oneOf(["float", "base64"]).describe("How vectors are written."),
  dimensions: integerFrom(1).describe("How long vectors are, where the model can choose."),
});

/** Whether an input is an array of token ids, or of such arrays. */
function isTokens(input: unknown): boolean {
  const first: unknown = Array.isArray(input) ? input[0] : undefined;
  return typeof first === "number" || Array.isArray(first);
}

const vector = z.looseObject({
  index: z.int().optional(),
  embedding: z.union([z.array(z.number()), z.string()]).optional(),
});

export const embeddingsOperation = replayedOperation({
  id: "createEmbeddings",
  tag: "Embeddings",
  summary: "Create embeddings",
  body: {
    kind: "json",
    name: "EmbeddingsRequest",
    schemas: [schema],
    example: { model: "demo-embed", input: ["A cat", "A dog"] },
  },
  answer: jsonAnswer(
    "Embeddings",
    z.union([z.looseObject({ data: z.array(vector).optional() }), z.array(z.unknown())]),
    "The provider's answer as it came; the usual shape is described.",
  ),
});
