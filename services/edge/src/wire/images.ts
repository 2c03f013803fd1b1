import type { ImageService } from "@tollgate/proto/tollgate/v1/image";
import type { Client } from "@tollgate/rpc/implementation";
import { z } from "zod";
import type { BillableRoute } from "../billable.ts";
import { unixSeconds, usd } from "../openapi/answer-fields.ts";
import { replayedOperation } from "../openapi/billable-operation.ts";
import { jsonAnswer } from "../openapi/operation.ts";
import { alias, integerFrom, text } from "./fields.ts";
import { jsonRoute } from "./json-route.ts";

const maxImages = 10;

/** POST /v1/images/generations */
export function images(image: Client<typeof ImageService>): BillableRoute {
  return jsonRoute(schema, ({ n, ...fields }, call, options) => {
    const request = { ...call(fields), ...(n === undefined ? {} : { images: n }) };
    return image.generateImages(request, options);
  });
}

const schema = z.strictObject({
  model: alias,
  prompt: text.min(1, "must not be empty").describe("What the images show."),
  n: integerFrom(1, maxImages).describe("How many; 1 where it is left out."),
  size: text
    .regex(/^[1-9]\d*x[1-9]\d*$/, "must be WIDTHxHEIGHT in whole numbers, such as 1024x1024")
    .describe("WIDTHxHEIGHT in pixels, where the provider can choose.")
    .optional(),
  response_format: z
    .literal("url", { error: "must be url: images are answered as URLs, b64_json is not" })
    .describe("Images are answered as URLs alone.")
    .optional(),
});

const answer = z.object({
  created: unixSeconds,
  data: z.array(
    z.object({
      url: z.string().describe("Where the image lies for a short while: fetch it soon."),
      revised_prompt: z.string().optional(),
    }),
  ),
  usage: z.object({ images: z.int().describe("How many came, and are billed."), cost: usd }),
});

export const imagesOperation = replayedOperation({
  id: "generateImages",
  tag: "Images",
  summary: "Generate images",
  about: "Fewer images than asked for may come; those are billed that came.",
  body: {
    kind: "json",
    name: "ImagesRequest",
    schemas: [schema],
    example: { model: "demo-image", prompt: "A cat on a wall", n: 2, size: "512x512" },
  },
  answer: jsonAnswer("Images", answer, "The images that came, and what they cost."),
});
