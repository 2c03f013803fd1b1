import { z } from "zod";
import { tokensOfCharacters } from "../chat/tokens.ts";
import { jsonRoute } from "../json-route.ts";

const DEFAULT_DIMENSIONS = 8;

const tokenId = z.int().min(0);

const request = z.object({
  model: z.string().min(1),
  input: z.union([
    z.string(),
    z.array(z.string()).min(1),
    z.array(tokenId).min(1),
    z.array(z.array(tokenId).min(1)).min(1),
  ]),
  encoding_format: z.enum(["float", "base64"]).default("float"),
  dimensions: z.int().min(1).max(4_096).default(DEFAULT_DIMENSIONS),
});

export const embeddingsRoute = jsonRoute("/v1/embeddings", request, (body, commands) => {
  const inputs = inputsOf(body.input);
  const counted = inputs.reduce((sum, input) => sum + tokensOf(input), 0);
  const promptTokens = commands.usage?.promptTokens ?? counted;
  const usage = commands.total_only
    ? { total_tokens: promptTokens }
    : { prompt_tokens: promptTokens, total_tokens: promptTokens };
  const data = inputs.map((input, index) => {
    const vector = vectorOf(String(input), body.dimensions);
    const isOther = commands.other_encoding === true && index % 2 === 0;
    const isFloat = (body.encoding_format === "float") !== isOther;
    const embedding = isFloat ? [...vector] : base64Of(vector);
    return { object: "embedding", index, embedding };
  });
  return {
    object: "list",
    ...(commands.no_list ? {} : { data }),
    model: body.model,
    ...(commands.no_usage ? {} : { usage }),
  };
});

type Input = string | number[];

/** Returns the inputs: texts, or arrays of token ids. */
function inputsOf(input: z.output<typeof request>["input"]): Input[] {
  if (typeof input === "string") return [input];
  const tokens = input.filter((item) => typeof item === "number");
  return tokens.length > 0 ? [tokens] : input.filter((item) => typeof item !== "number");
}

function tokensOf(input: Input): number {
  return typeof input === "string" ? tokensOfCharacters(input.length) : input.length;
}

/** Derives a vector from the text; equal texts get equal vectors. */
export function vectorOf(text: string, dimensions: number): Float32Array {
  let state = 2_166_136_261;
  for (const byte of Buffer.from(text)) state = Math.imul(state ^ byte, 16_777_619);
  return Float32Array.from({ length: dimensions }, () => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + 1;
    return (state >> 8) / 2 ** 23;
  });
}

export function base64Of(vector: Float32Array): string {
  return Buffer.from(vector.buffer).toString("base64");
}
