/** A vendor whose providers are added by their name. */
export interface KnownVendor {
  title: string;
  /** What a provider is called, unless another name is chosen. List prices are found by it. */
  name: string;
  kind: string;
  /** Where its API is. Empty: its address is the operator's own. */
  baseUrl: string;
  /** Whether the address follows from the kind, and needs no field. */
  isKindAddress?: boolean;
  /** Whether the provider is in a region, such as `us-east-1`. */
  hasRegion?: boolean;
}

/** The vendors in the order in which they are offered. The last is any other. */
export const knownVendors: readonly KnownVendor[] = [
  compatible("OpenAI", "openai", "https://api.openai.com/v1"),
  ofKind("Anthropic", "anthropic"),
  ofKind("Google Gemini", "google"),
  ofKind("Mistral", "mistral"),
  { title: "Azure OpenAI", name: "azure", kind: "azure", baseUrl: "" },
  { ...ofKind("Amazon Bedrock", "bedrock"), hasRegion: true },
  ofKind("xAI", "xai"),
  ofKind("Cohere", "cohere"),
  ofKind("Deepgram", "deepgram"),
  ofKind("ElevenLabs", "elevenlabs"),
  ofKind("Voyage", "voyage"),
  ofKind("Jina", "jina"),
  compatible("DeepSeek", "deepseek", "https://api.deepseek.com/v1"),
  compatible("Groq", "groq", "https://api.groq.com/openai/v1"),
  compatible("OpenRouter", "openrouter", "https://openrouter.ai/api/v1"),
  compatible("Together", "together", "https://api.together.xyz/v1"),
  { title: "Another, with OpenAI's API", name: "", kind: "openai", baseUrl: "" },
];

function compatible(title: string, name: string, baseUrl: string): KnownVendor {
  return { title, name, kind: "openai", baseUrl };
}

function ofKind(title: string, kind: string): KnownVendor {
  return { title, name: kind, kind, baseUrl: "", isKindAddress: true };
}

/** The kinds of providers: the APIs that they speak. A provider that names none is of the first. */
export const kinds: readonly string[] = [...new Set(knownVendors.map(({ kind }) => kind))];

/** Returns the kind that an entry names, or has without naming it. */
export function entryKind({ kind }: { kind?: unknown }): string {
  return typeof kind === "string" ? kind : (kinds[0] ?? "");
}

/** Returns a kind as an entry names it: the first one needs no name. */
export function namedKind(kind: string): string | undefined {
  return kind === kinds[0] ? undefined : kind;
}

/** Returns whether the providers of a kind are in regions. */
export function isRegional(kind: string): boolean {
  return knownVendors.some((one) => one.kind === kind && one.hasRegion === true);
}

/** Returns whether the address of a provider follows from its kind where it has none. */
export function hasOwnAddress(kind: string): boolean {
  return knownVendors.some((one) => one.kind === kind && one.isKindAddress === true);
}

/** Returns a name that is not taken: `openai`, or else `openai-2`. */
export function freeName(name: string, taken: Iterable<string>): string {
  const names = new Set(taken);
  if (!names.has(name)) return name;
  for (let number = 2; ; number += 1) {
    const free = `${name}-${number}`;
    if (!names.has(free)) return free;
  }
}
