import { jsonHandler } from "../../billable/json-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import type { RouteDependencies } from "../dependencies.ts";
import { imagesSchema } from "./schema.ts";

/** POST /v1/images/generations */
export function generateImages(dependencies: RouteDependencies): KeyedHandler {
  const { image } = dependencies.services;
  return jsonHandler(dependencies, imagesSchema, ({ n, ...fields }, call, options) => {
    const request = { ...call(fields), ...(n === undefined ? {} : { images: n }) };
    return image.generateImages(request, options);
  });
}
