import type { ChatInput } from "@tollgate/catalog/chat-inputs";
import type { Model, Slot } from "@tollgate/catalog/model";
import { type GatewayError, invalidParam } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";

/**
 * Returns what a slot's provider can be sent for a model besides text and images: the inputs of the model's
 * catalog entry that the provider's kind takes.
 */
export function inputsOf(
  { provider }: Slot,
  { inputs }: Pick<Model, "inputs">,
): ReadonlySet<ChatInput> {
  const { chatInputs } = provider.kind;
  return new Set([...(inputs ?? [])].filter((input) => chatInputs.has(input)));
}

/** Returns a PDF in base64 as a part of a chat completion. OpenAI requires a name that ends so. */
export function pdfPart(base64: string, title: unknown): JsonObject {
  const name = typeof title === "string" && title !== "" ? title : "document";
  const filename = /\.pdf$/i.test(name) ? name : `${name}.pdf`;
  return { type: "file", file: { filename, file_data: `data:application/pdf;base64,${base64}` } };
}

/** Returns the error of a part that the model does not take, or its provider. */
export function notTaken(path: string, input: ChatInput): GatewayError {
  return invalidParam(path, `is not supported: this model does not take ${input}`);
}
