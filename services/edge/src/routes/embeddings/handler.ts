import { codePoints } from "@tollgate/core/code-points";
import { jsonHandler } from "../../billable/json-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import type { RouteDependencies } from "../dependencies.ts";
import { embeddingsSchema } from "./schema.ts";

/** POST /v1/embeddings */
export function createEmbeddings(dependencies: RouteDependencies): KeyedHandler {
  const { chat } = dependencies.services;
  return jsonHandler(dependencies, embeddingsSchema, (fields, call, options) => {
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
