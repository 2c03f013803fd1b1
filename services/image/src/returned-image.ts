import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { imageTypeOf } from "@tollgate/providers/image-type";

/** An image as the client is sent it. */
export interface ReturnedImage {
  /** The provider's URL, unchanged; a `data:` URL where the provider returns the image itself. */
  url: string;
  revised_prompt?: string;
}

/** The characters of base64 that begin with enough bytes to tell the type of an image. */
const headCharacters = 32;

/** Returns the images of a response. What has neither a URL nor base64 is none. */
export function returnedImages({ data, output_format }: JsonObject): ReturnedImage[] {
  if (!Array.isArray(data)) return [];
  return data.filter(isJsonObject).flatMap((item): ReturnedImage[] => {
    const url = urlOf(item, output_format);
    if (url === undefined) return [];
    const { revised_prompt } = item;
    return [typeof revised_prompt === "string" ? { url, revised_prompt } : { url }];
  });
}

function urlOf({ url, b64_json }: JsonObject, format: unknown): string | undefined {
  if (typeof url === "string" && url !== "") return url;
  if (typeof b64_json !== "string" || b64_json === "") return undefined;
  // xAI's API writes the data URL itself.
  if (b64_json.startsWith("data:")) return b64_json;
  return `data:${typeOf(b64_json, format)};base64,${b64_json}`;
}

/** Returns the media type by the bytes, else by the format that the response names. */
function typeOf(base64: string, format: unknown): string {
  const type = imageTypeOf(Buffer.from(base64.slice(0, headCharacters), "base64"));
  if (type !== undefined) return type;
  return typeof format === "string" && /^[a-z0-9.+-]+$/.test(format)
    ? `image/${format}`
    : "image/png";
}
