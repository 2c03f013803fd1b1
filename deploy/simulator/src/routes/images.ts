import { z } from "zod";
import type { SimulatorRoute } from "../call.ts";
import type { Commands } from "../commands.ts";
import { jsonRoute } from "../json-route.ts";
import { picture } from "../picture.ts";
import { unknownParameter } from "../unknown-parameter.ts";

const PATH = "/v1/images/generations";
const OUTPUT_TOKENS_OF_IMAGE = 272;

const common = {
  model: z.string().min(1),
  prompt: z.string().min(1),
  n: z.int().min(1).max(10).default(1),
};

const urlRequest = z.object({
  ...common,
  size: z
    .string()
    .regex(/^\d+x\d+$/)
    .default("1024x1024"),
  response_format: z.literal("url").optional(),
});

/** https://platform.openai.com/docs/api-reference/images/create, of the GPT image models. */
const gptRequest = z.strictObject(
  {
    ...common,
    background: z.enum(["transparent", "opaque", "auto"]).optional(),
    moderation: z.enum(["low", "auto"]).optional(),
    output_compression: z.int().min(0).max(100).optional(),
    output_format: z.enum(["png", "jpeg", "webp"]).default("png"),
    quality: z.enum(["low", "medium", "high", "auto"]).default("auto"),
    size: z
      .string()
      .regex(/^(?:auto|\d+x\d+)$/)
      .default("1024x1024"),
    user: z.string().optional(),
  },
  { error: unknownParameter },
);

/** The model decides which members there are. */
const request = z.looseObject({ model: z.string() }).transform((body, context) => {
  const schema = body.model.startsWith("gpt-image") ? gptRequest : urlRequest;
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  for (const { message, path } of parsed.error.issues) {
    context.addIssue({ code: "custom", message, path: [...path] });
  }
  return z.NEVER;
});

/** Responds with image URLs that do not resolve; models named `gpt-image` return base64. */
export const imagesRoute = jsonRoute(PATH, request, (body, commands, seq) =>
  "output_format" in body ? gptImages(body, commands, seq) : urlImages(body, commands, seq),
);

/** The same path where all models return base64, whatever their name is. */
export const gptImagesRoute: SimulatorRoute = jsonRoute(PATH, gptRequest, gptImages);

function urlImages(
  { n, size, prompt }: z.output<typeof urlRequest>,
  { images }: Commands,
  seq: number,
) {
  return {
    created: 1_700_000_000 + seq,
    data: Array.from({ length: images ?? n }, (_, index) => ({
      url: `https://images.invalid/${seq}/${index}-${size}.png?sig=a%2Fb&x=1`,
      revised_prompt: prompt,
      provider_only: true,
    })),
    usage: { total_tokens: 999, input_tokens: 9, output_tokens: 990, cost: 0.5 },
  };
}

function gptImages(
  { n, size, quality, output_format, background = "opaque" }: z.output<typeof gptRequest>,
  { images = n }: Commands,
  seq: number,
) {
  const output_tokens = OUTPUT_TOKENS_OF_IMAGE * images;
  return {
    created: 1_700_000_000 + seq,
    background,
    data: Array.from({ length: images }, () => ({ b64_json: picture })),
    output_format,
    quality: quality === "auto" ? "low" : quality,
    size,
    usage: {
      input_tokens: 9,
      input_tokens_details: { image_tokens: 0, text_tokens: 9 },
      output_tokens,
      output_tokens_details: { image_tokens: output_tokens, text_tokens: 0 },
      total_tokens: 9 + output_tokens,
    },
  };
}
