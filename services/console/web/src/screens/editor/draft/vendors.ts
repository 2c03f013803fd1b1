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
  /** An example of its regions, where the provider is in one. */
  region?: string;
  /** Whether its address has a project. */
  hasProject?: boolean;
  /** What an identity of its cloud may have; undefined where it is called by keys only. */
  identity?: readonly IdentityMember[];
}

/** A member of `identity` in a provider's entry. */
export interface IdentityMember {
  member: string;
  label: string;
  example: string;
}

const ofAzure = [
  { member: "client_id", label: "Client id", example: "00000000-0000-0000-0000-000000000000" },
  { member: "tenant_id", label: "Tenant", example: "00000000-0000-0000-0000-000000000000" },
];
const ofAws = [
  { member: "role_arn", label: "Role", example: "arn:aws:iam::123456789012:role/tollgate" },
  { member: "external_id", label: "External id", example: "" },
];
const ofGoogle = [
  {
    ...{ member: "impersonate", label: "Service account" },
    example: "tollgate@project.iam.gserviceaccount.com",
  },
];

/** The vendors in the order in which they are offered. The last is any other. */
export const knownVendors: readonly KnownVendor[] = [
  compatible("OpenAI", "openai", "https://api.openai.com/v1"),
  ofKind("Anthropic", "anthropic"),
  ofKind("Google Gemini", "google"),
  ofKind("Mistral", "mistral"),
  { title: "Azure OpenAI", name: "azure", kind: "azure", baseUrl: "", identity: ofAzure },
  { ...ofKind("Amazon Bedrock", "bedrock"), region: "us-east-1", identity: ofAws },
  {
    ...ofKind("Google Vertex AI", "vertex"),
    ...{ region: "europe-west4", hasProject: true, identity: ofGoogle },
  },
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
  return knownVendors.some((one) => one.kind === kind && one.region !== undefined);
}

/** Returns whether the addresses of a kind have a project. */
export function hasProjects(kind: string): boolean {
  return knownVendors.some((one) => one.kind === kind && one.hasProject === true);
}

/** Returns what an identity of a kind's cloud may have; undefined for a kind with keys only. */
export function identityMembersOf(kind: string): readonly IdentityMember[] | undefined {
  return knownVendors.find((one) => one.kind === kind && one.identity !== undefined)?.identity;
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
