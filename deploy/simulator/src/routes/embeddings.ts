import { z } from "zod";
import { countTokens } from "../chat/tokens.ts";
import { jsonRoute } from "../json-route.ts";

const DEFAULT_DIMENSIONS = 8;

const request = z.object({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(z.string()).min(1)]),
  encoding_format: z.enum(["float", "base64"]).default("float"),
  dimensions: z.int().min(1).max(4_096).default(DEFAULT_DIMENSIONS),
});

export const embeddings = jsonRoute("/v1/embeddings", request, (body, commands) => {
  const inputs = [body.input].flat();
  const counted = inputs.reduce((sum, text) => sum + countTokens(text.length), 0);
  const promptTokens = commands.usage?.promptTokens ?? counted;
  const usage = commands.total_only
    ? { total_tokens: promptTokens }
    : { prompt_tokens: promptTokens, total_tokens: promptTokens };
  const data = inputs.map((text, index) => {
    const vector = vectorOf(text, body.dimensions);
    const embedding = body.encoding_format === "float" ? [...vector] : base64Of(vector);
    return { object: "embedding", index, embedding };
  });
  return {
    object: "list",
    ...(commands.no_list ? {} : { data }),
    model: body.model,
    ...(commands.no_usage ? {} : { usage }),
  };
});

/** Derives a vector from the text; equal texts get equal vectors. */
function vectorOf(text: string, dimensions: number): Float32Array {
  let state = 2_166_136_261;
  for (const byte of Buffer.from(text)) state = Math.imul(state ^ byte, 16_777_619);
  return Float32Array.from({ length: dimensions }, () => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + 1;
    return (state >> 8) / 2 ** 23;
  });
}

function base64Of(vector: Float32Array): string {
  return Buffer.from(vector.buffer).toString("base64");
}
