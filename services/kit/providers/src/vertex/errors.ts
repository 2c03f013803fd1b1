import type { RefusalReader } from "@tollgate/upstream/refusal";
import { anthropicRefusals } from "../anthropic/errors.ts";
import { googleRefusals } from "../google/errors.ts";

/** Vertex AI refuses in Google's words, and passes on those of Anthropic for Claude. */
export const vertexRefusals: RefusalReader = {
  ...googleRefusals,
  readRefusal(refusal) {
    const read = googleRefusals.readRefusal(refusal);
    if (read.meaning !== undefined || read.isTooLong === true) return read;
    return { ...anthropicRefusals.readRefusal(refusal), retryAfterMs: read.retryAfterMs };
  },
};
