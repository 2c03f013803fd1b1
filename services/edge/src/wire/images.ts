import type { Client } from "@tollgate/kit/rpc/implementation";
import type { ImageService } from "@tollgate/proto/tollgate/v1/image";
import { z } from "zod";
import type { BillableRoute } from "../billable.ts";
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
  prompt: text.min(1, "must not be empty"),
  n: integerFrom(1, maxImages),
  size: text
    .regex(/^[1-9]\d*x[1-9]\d*$/, "must be WIDTHxHEIGHT in whole numbers, such as 1024x1024")
    .optional(),
  response_format: z
    .literal("url", { error: "must be url: images are answered as URLs, b64_json is not" })
    .optional(),
});
