import type { Model } from "@tollgate/catalog/model";
import { invalidParam } from "@tollgate/core/errors";

/**
 * Returns the model with only those slots that take live audio or, for the parameter `stream` of a file,
 * stream its transcript. Throws `invalid_param`, with the request's `param`, where it has none.
 */
export function withStreamSlots(model: Model, param: "model" | "stream"): Model {
  const chain = model.chain.filter(
    ({ stream, provider }) =>
      stream !== undefined || (param === "stream" && provider.takesTranscriptionForms === true),
  );
  if (chain.length > 0) return { ...model, chain };
  const rule = param === "model" ? "must be an alias that takes streams" : "must be left out";
  throw invalidParam(param, `${rule}: ${model.alias} does not support streaming`);
}
