import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import type { ImageForm } from "../ai-sdk/image.ts";
import { notSupported } from "../not-supported.ts";

/** https://ai.google.dev/gemini-api/docs/image-understanding */
const typeByExtension: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
]);

/**
 * Returns which images a model takes. An address needs a media type, which only its ending shows.
 * Gemini 2.0 reads no addresses: https://ai.google.dev/gemini-api/docs/file-input-methods
 */
export function imagesOf(modelId: string): ImageForm {
  const readsAddresses = !modelId.startsWith("gemini-2.0");
  return {
    dataTypes: new Set(typeByExtension.values()),
    typeAt({ pathname }, param) {
      if (!readsAddresses) throw notSupported(param, "send the image in base64");
      const extension = /\.([a-z]+)$/i.exec(pathname)?.[1]?.toLowerCase() ?? "";
      const type = typeByExtension.get(extension);
      if (type !== undefined) return type;
      const endings = [...typeByExtension.keys()].map((name) => `.${name}`).join(", ");
      throw notSupported(param, `use an address that ends with ${endings}, or send base64`);
    },
  };
}

/** https://ai.google.dev/gemini-api/docs/function-calling#multimodal */
const typesInResults: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "application/pdf",
]);

/** Returns whether the response of a function may have a file, which Gemini 3 reads there. */
export function isResultFile({ data, mediaType }: LanguageModelV4FilePart): boolean {
  return data.type === "data" && typesInResults.has(mediaType);
}
