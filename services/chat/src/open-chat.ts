import type { Model } from "@tollgate/kit/catalog/model";
import { GatewayError } from "@tollgate/kit/errors";
import type { Generation, Pipeline } from "@tollgate/kit/pipeline";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { type Bound, boundOf, estimateOf } from "./estimate.ts";

/**
 * Resolves the alias and takes the hold. Raises `model_not_found`, `invalid_param` for images where
 * the alias has no vision, and what taking a hold raises.
 */
export async function openChat(
  pipeline: Pipeline,
  call: ChatCall,
): Promise<{ generation: Generation; model: Model; bound: Bound }> {
  if (call.caller === undefined) throw new Error("a chat call names its caller");
  const model = pipeline.resolve(call.alias, "chat");
  if ((call.prompt?.imageParts ?? 0) > 0 && !model.vision) {
    const message = `${model.alias} does not take images.`;
    throw new GatewayError("invalid_param", message, { param: call.prompt?.firstImageParam });
  }
  const bound = boundOf(call, model);
  const generation = await pipeline.open(call.caller, model, estimateOf(bound, model));
  return { generation, model, bound };
}
