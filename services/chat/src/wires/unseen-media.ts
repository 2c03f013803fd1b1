import type { Model, Slot } from "@tollgate/catalog/model";
import { type JsonObject, objectsIn } from "@tollgate/core/json";
import { withoutResultMedia } from "@tollgate/providers/result-media";
import type { ClientRequest } from "./client-request.ts";
import { inputsOf } from "./media-parts.ts";

/**
 * Whether a request has images in the results of tools, and the model has no vision. A slot whose
 * provider speaks the wire is then not sent the client's bytes: it would refuse the image in this request and
 * in all later ones of the session. Images of the user are refused before this is called.
 */
export function hasUnseenImages({ call }: ClientRequest, { vision }: Model): boolean {
  return !vision && (call.prompt?.imageParts ?? 0) > 0;
}

/**
 * Returns a chat request with a note in place of each part of a tool's result that the slot's provider cannot
 * be sent for the model.
 */
export function seenBy(model: Model, slot: Slot, chat: JsonObject): JsonObject {
  const files = inputsOf(slot, model).has("pdf");
  const takes = ({ type }: JsonObject) => (type === "image_url" ? model.vision === true : files);
  return { ...chat, messages: withoutResultMedia(objectsIn(chat.messages), takes) };
}
