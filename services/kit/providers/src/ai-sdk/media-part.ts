import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import type { ChatInput } from "@tollgate/catalog/chat-inputs";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { notSupported } from "../not-supported.ts";
import { type ImageForm, imagePart } from "./image.ts";

/** Which parts besides text a kind takes. */
export interface MediaForm {
  images: ImageForm;
  /** What messages may have besides text and images. */
  inputs: ReadonlySet<ChatInput>;
  /** Whether the provider fetches files. */
  fetchesFiles?: boolean;
}

/**
 * Translates a part with an image, a file or audio. Throws `invalid_param` for any other, and for what
 * the kind does not take.
 */
export function mediaPart(
  part: JsonObject,
  path: string,
  form: MediaForm,
): LanguageModelV4FilePart {
  if (part.type === "file") return filePart(part.file, path, form);
  if (part.type === "input_audio") return audioPart(part.input_audio, path, form);
  return imagePart(part, path, form.images);
}

function filePart(
  file: unknown,
  path: string,
  { inputs, fetchesFiles }: MediaForm,
): LanguageModelV4FilePart {
  if (!inputs.has("pdf")) throw notSupported(`${path}.type`);
  const { filename, file_data: data, file_id: id } = isJsonObject(file) ? file : {};
  if (typeof id === "string") throw notSupported(`${path}.file.file_id`, "send the file in base64");
  const named = typeof filename === "string" && filename !== "" ? { filename } : {};
  const address = String(data);
  const common = { type: "file", mediaType: "application/pdf", ...named } as const;
  const [head] = pdfUrl.exec(address) ?? [];
  if (head !== undefined) {
    return { ...common, data: { type: "data", data: address.slice(head.length) } };
  }
  if (fetchesFiles === true && /^https:/i.test(address) && URL.canParse(address)) {
    return { ...common, data: { type: "url", url: new URL(address) } };
  }
  throw notSupported(`${path}.file.file_data`, "send the file in base64");
}

const pdfUrl = /^data:application\/pdf(;[^;,]{1,300}){0,4};base64,/i;

function audioPart(audio: unknown, path: string, { inputs }: MediaForm): LanguageModelV4FilePart {
  if (!inputs.has("audio")) throw notSupported(`${path}.type`);
  const { data, format } = isJsonObject(audio) ? audio : {};
  const mediaType = `audio/${format}`;
  return { type: "file", mediaType, data: { type: "data", data: String(data) } };
}
