import type { Model, Slot } from "@tollgate/catalog/model";
import { type JsonObject, objectsIn } from "@tollgate/core/json";
import { withoutResultMedia } from "@tollgate/providers/result-media";
import type { ClientRequest } from "./client-request.ts";
import { inputsOf } from "./media-parts.ts";

/**
 * Whether a request has images in the results of tools, and the model has no vision. A slot whose
 * provider speaks the wire is then not sent the client's bytes: the session would get stuck. An image of
 * the user has been refused before.
 */
export function hasUnseenImages({ call }: ClientRequest, { vision }: Model): boolean {
  return !vision && (call.prompt?.imageParts ?? 0) > 0;
}

/**
 * Returns a chat request with a note in place of each part of a result that the model does not take of a
 * slot.
 */
export function seenBy(model: Model, slot: Slot, chat: JsonObject): JsonObject {
  const files = inputsOf(slot, model).has("pdf");
  const takes = ({ type }: JsonObject) => (type === "image_url" ? model.vision === true : files);
  return { ...chat, messages: withoutResultMedia(objectsIn(chat.messages), takes) };
}
