import { isPublicUrl } from "@tollgate/core/public-host";
import type { TextSize } from "@tollgate/core/text-size";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";

/** The size of a prompt while it is measured. */
export interface PromptMeasure extends TextSize {
  imageParts: number;
  /** Pages of documents. */
  pages: number;
  /** The path of the first image; empty for none. */
  firstImageParam: string;
  /** The path of the first URL whose host is not public; empty for none. */
  privateUrlParam: string;
}

/** Notes a URL that the provider would fetch. A data URL is fetched from nowhere. */
export function addUrl(
  url: unknown,
  path: string,
  measure: Pick<PromptMeasure, "privateUrlParam">,
) {
  if (measure.privateUrlParam !== "" || typeof url !== "string") return;
  if (/^data:/i.test(url) || isPublicUrl(url)) return;
  measure.privateUrlParam = path;
}

export function newMeasure(): PromptMeasure {
  return {
    bytes: 0,
    characters: 0,
    imageParts: 0,
    pages: 0,
    firstImageParam: "",
    privateUrlParam: "",
  };
}

/** Returns a measured prompt of which no part is stored. */
export function promptSizeOf(measure: PromptMeasure, messages: number): PromptSize {
  return {
    $typeName: "tollgate.v1.PromptSize",
    textBytes: BigInt(measure.bytes),
    textCharacters: BigInt(measure.characters),
    unstoredTextBytes: 0n,
    unstoredTextCharacters: 0n,
    messages,
    imageParts: measure.imageParts,
    firstImageParam: measure.firstImageParam,
    privateUrlParam: measure.privateUrlParam,
    pages: measure.pages,
  };
}
