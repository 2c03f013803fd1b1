import type { Model } from "@tollgate/kit/catalog/model";
import { GatewayError } from "@tollgate/kit/errors";
import type { NanoUsd } from "@tollgate/kit/money";
import type { Pipeline } from "@tollgate/kit/pipeline";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { type Bound, boundOf, estimateOf } from "./estimate.ts";

/** A chat call with the model that its alias names, and what it can use and cost at the most. */
export interface ChatOrder {
  model: Model;
  bound: Bound;
  estimate: NanoUsd;
}

/** Raises `model_not_found`, and `invalid_param` for images where the alias has no vision. */
export function orderChat(pipeline: Pipeline, call: ChatCall): ChatOrder {
  const model = pipeline.resolve(call.alias, "chat");
  if ((call.prompt?.imageParts ?? 0) > 0 && !model.vision) {
    const message = `${model.alias} does not take images.`;
    throw new GatewayError("invalid_param", message, { param: call.prompt?.firstImageParam });
  }
  const bound = boundOf(call, model);
  return { model, bound, estimate: estimateOf(bound, model) };
}
