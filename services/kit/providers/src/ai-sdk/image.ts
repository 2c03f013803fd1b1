import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import { invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { notSupported } from "../not-supported.ts";

/** Which images a kind takes. */
export interface ImageForm {
  /** The media types of base64 data; undefined where the provider checks them. */
  dataTypes?: ReadonlySet<string>;
  /** Returns the media type of an image at an https address. Throws where it is not taken. */
  typeAt(url: URL, param: string): string;
}

const dataUrl = /^data:(image\/[a-z0-9.+-]+);base64,/i;

/** Translates a part with an image. Its `detail` is OpenAI's own, and left out. Throws `invalid_param`. */
export function imagePart(
  { type, image_url: image }: JsonObject,
  path: string,
  { dataTypes, typeAt }: ImageForm,
): LanguageModelV4FilePart {
  if (type !== "image_url" || !isJsonObject(image)) {
    throw notSupported(`${path}.type`, 'use "text" or "image_url"');
  }
  const param = `${path}.image_url.url`;
  const address = String(image.url);
  const [head, given] = dataUrl.exec(address) ?? [];
  if (head !== undefined && given !== undefined) {
    const mediaType = given.toLowerCase().replace(/^image\/jpg$/, "image/jpeg");
    if (dataTypes?.has(mediaType) === false) {
      throw notSupported(param, `use ${[...dataTypes].join(", ")}`);
    }
    return { type: "file", mediaType, data: { type: "data", data: address.slice(head.length) } };
  }
  if (!/^https:/i.test(address) || !URL.canParse(address)) {
    const problem = "must be an https URL, or a data:image URL in base64, for this model";
    throw invalidParam(param, problem);
  }
  const url = new URL(address);
  return { type: "file", mediaType: typeAt(url, param), data: { type: "url", url } };
}
