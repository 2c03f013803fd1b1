import type { LanguageModelV4ReasoningPart, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/**
 * Thinking in the form of OpenRouter's `reasoning_details`, which clients send back unchanged:
 * https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export type ReasoningDetail =
  | { type: "reasoning.text"; text: string; signature: string; format: string; index: number }
  | { type: "reasoning.encrypted"; id?: string; data: string; format: string; index: number };

/** Where a package has the signatures of thinking, in the metadata of the parts of a message. */
export interface SignatureForm {
  /** The name of the package's metadata and options. */
  provider: string;
  /** The format of the details. Those of another format are not this kind's own. */
  format: string;
  signature: string;
  /** The member with a block of thinking that is encrypted, where there are such blocks. */
  encrypted?: string;
}

/** A part of a generated message. */
export interface GeneratedPart {
  type: "reasoning" | "text" | "tool-call";
  text?: string;
  /** The id of a call. */
  id?: string;
}

/** Returns the detail of a part; undefined where the provider did not sign it. */
export function reasoningDetail(
  { format, signature, encrypted }: SignatureForm,
  { type, text = "", id }: GeneratedPart,
  metadata: JsonObject,
  index: number,
): ReasoningDetail | undefined {
  const data = encrypted === undefined ? undefined : metadata[encrypted];
  if (typeof data === "string" && data !== "") {
    return { type: "reasoning.encrypted", data, format, index };
  }
  const signed = metadata[signature];
  if (typeof signed !== "string" || signed === "") return undefined;
  if (type === "reasoning") {
    return { type: "reasoning.text", text, signature: signed, format, index };
  }
  const ofCall = id === undefined ? {} : { id };
  return { type: "reasoning.encrypted", ...ofCall, data: signed, format, index };
}

/** Returns the package's own metadata of a part. */
export function metadataOf({ provider }: SignatureForm, metadata: unknown): JsonObject {
  const own = isJsonObject(metadata) ? metadata[provider] : undefined;
  return isJsonObject(own) ? own : {};
}

/** The signed thinking of a message that a client sends back. */
export interface SentReasoning {
  thoughts: LanguageModelV4ReasoningPart[];
  /** The options of the message's text. */
  text: SharedV4ProviderOptions | undefined;
  /** The options of the message's calls, by their ids. */
  calls: Map<string, SharedV4ProviderOptions>;
}

/** Reads the details that the provider signed. */
export function readReasoning(form: SignatureForm, details: unknown): SentReasoning {
  const sent: SentReasoning = { thoughts: [], text: undefined, calls: new Map() };
  for (const detail of Array.isArray(details) ? details.filter(isJsonObject) : []) {
    const { type, text, signature, data, format } = detail;
    if (format !== form.format) continue;
    if (type === "reasoning.text" && typeof signature === "string" && signature !== "") {
      const providerOptions = { [form.provider]: { [form.signature]: signature } };
      sent.thoughts.push({ type: "reasoning", text: String(text), providerOptions });
    }
    if (type === "reasoning.encrypted" && typeof data === "string" && data !== "") {
      readEncrypted(form, sent, detail.id, data);
    }
  }
  return sent;
}

function readEncrypted(
  { provider, signature, encrypted }: SignatureForm,
  sent: SentReasoning,
  id: unknown,
  data: string,
): void {
  const providerOptions = { [provider]: { [encrypted ?? signature]: data } };
  if (encrypted !== undefined) {
    sent.thoughts.push({ type: "reasoning", text: "", providerOptions });
  } else if (typeof id === "string") {
    sent.calls.set(id, providerOptions);
  } else {
    sent.text = providerOptions;
  }
}
