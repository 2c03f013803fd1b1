import type { TextSize } from "@tollgate/core/text-size";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";

/** The size of a prompt while it is measured. */
export interface PromptMeasure extends TextSize {
  imageParts: number;
  /** The path of the first image; empty for none. */
  firstImageParam: string;
}

export function newMeasure(): PromptMeasure {
  return { bytes: 0, characters: 0, imageParts: 0, firstImageParam: "" };
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
  };
}
