import { jsonHandler } from "../../billable/json-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { imagesSchema } from "./schema.ts";

/** POST /v1/images/generations */
export function generateImages(dependencies: RouteDependencies, rules: HandlerRules): KeyedHandler {
  const { image } = dependencies.services;
  return jsonHandler(dependencies, rules, imagesSchema, ({ n, ...fields }, call, options) => {
    const { size } = fields;
    const request = {
      ...call(fields),
      ...(n === undefined ? {} : { images: n }),
      ...(size === undefined ? {} : { size }),
    };
    return image.generateImages(request, options);
  });
}
