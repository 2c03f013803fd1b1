import { z } from "zod";
import { unixSeconds, usd } from "../../openapi/response-fields.ts";
import { alias, integerFrom, text } from "../../validation/fields.ts";

const maxImages = 10;

export const imagesSchema = z.strictObject({
  model: alias,
  prompt: text.min(1, "must not be empty").describe("A description of the images."),
  n: integerFrom(1, maxImages).describe("The number of images. Defaults to 1."),
  size: text
    .regex(/^[1-9]\d*x[1-9]\d*$/, "must be WIDTHxHEIGHT in whole numbers, such as 1024x1024")
    .describe("WIDTHxHEIGHT in pixels: one of the model's sizes, or at most 2048x2048.")
    .optional(),
  response_format: z
    .literal("url", { error: "must be url: b64_json is not supported" })
    .describe("Images are returned as URLs only, which may be `data:` URLs.")
    .optional(),
});

export const imagesResponseSchema = z.object({
  created: unixSeconds,
  data: z.array(
    z.object({
      url: z
        .string()
        .describe(
          "The URL of the image. It expires: download the image soon. A `data:` URL contains the image.",
        ),
      revised_prompt: z.string().optional(),
    }),
  ),
  usage: z.object({
    images: z.int().describe("The number of images that were returned, and billed."),
    cost: usd,
  }),
});
