import { z } from "zod";
import { jsonRoute } from "../json-route.ts";

const request = z.object({
  model: z.string().min(1),
  prompt: z.string().min(1),
  n: z.int().min(1).max(10).default(1),
  size: z
    .string()
    .regex(/^\d+x\d+$/)
    .default("1024x1024"),
  response_format: z.literal("url").optional(),
});

/** Responds with image URLs that do not resolve. */
export const imagesRoute = jsonRoute("/v1/images/generations", request, (body, commands, seq) => ({
  created: 1_700_000_000 + seq,
  data: Array.from({ length: commands.images ?? body.n }, (_, index) => ({
    url: `https://images.invalid/${seq}/${index}-${body.size}.png?sig=a%2Fb&x=1`,
    revised_prompt: body.prompt,
    provider_only: true,
  })),
  usage: { total_tokens: 999, input_tokens: 9, output_tokens: 990, cost: 0.5 },
}));
