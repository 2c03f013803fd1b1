import { usdJson } from "@tollgate/core/money";
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { imagesResponseSchema, imagesSchema } from "./schema.ts";

export const generateImagesOperation: Operation = {
  id: "generateImages",
  tag: "Images",
  summary: "Generate images",
  description:
    "The provider may return fewer images than requested. Only returned images are billed.",
  body: {
    kind: "json",
    name: "ImagesRequest",
    schemas: [imagesSchema],
    example: { model: "demo-image", prompt: "A cat on a wall", n: 2, size: "512x512" },
  },
  responses: {
    200: jsonResponseDoc("Images", imagesResponseSchema, "The images and their cost.", {
      created: 1_795_974_253,
      data: [
        { url: "data:image/png;base64,iVBORw0KGgo…" },
        { url: "data:image/png;base64,iVBORw0KGgo…" },
      ],
      usage: { images: 2, cost: usdJson(40_000_000n) },
    }),
  },
};
