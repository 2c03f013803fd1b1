import { servableModel } from "@tollgate/catalog/model";
import { codePoints } from "@tollgate/core/code-points";
import type { JsonObject } from "@tollgate/core/json";
import type { z } from "zod";
import type { Principal } from "../../auth/authenticate.ts";
import { jsonHandler } from "../../billable/json-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { embeddingsSchema, schemaOfTokenInput, type tokenEmbeddingsSchema } from "./schema.ts";

type Input = z.output<typeof tokenEmbeddingsSchema>["input"];
type EncodingFormat = z.output<typeof embeddingsSchema>["encoding_format"];
type EmbeddingsSchema = z.ZodObject<{ model: z.ZodString }> &
  z.ZodType<{ model: string; input: Input; encoding_format?: EncodingFormat }>;

/** POST /v1/embeddings. The alias decides whether its input may be token ids. */
export function createEmbeddings(
  dependencies: RouteDependencies,
  rules: HandlerRules,
): KeyedHandler {
  const { catalog, services } = dependencies;
  const schemaOf = (body: JsonObject, { models }: Principal): EmbeddingsSchema => {
    const model = servableModel(catalog(), body.model, "embeddings", models);
    return model?.takesTokens ? schemaOfTokenInput(body) : embeddingsSchema;
  };
  return jsonHandler(dependencies, rules, schemaOf, (fields, call, options) => {
    const base64 = fields.encoding_format === "base64";
    const request = { ...call(fields), ...measureInput(fields.input), base64 };
    return services.chat.embed(request, options);
  });
}

/** Returns the size of an input: bytes and characters of text, or the number of token ids. */
function measureInput(input: Input) {
  const items = [input].flat(2);
  const texts = items.filter((item) => typeof item === "string");
  return {
    textBytes: BigInt(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)),
    textCharacters: BigInt(texts.reduce((sum, text) => sum + codePoints(text), 0)),
    inputTokens: BigInt(items.length - texts.length),
  };
}
