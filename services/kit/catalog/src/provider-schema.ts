import { z } from "zod";
import { connectionMembers, hasOneProxy, httpUrl, variableName } from "./connection-schema.ts";
import { identityEntry, identityProblem } from "./identity/identity-entry.ts";
import { keysSchema } from "./key-pool.ts";
import { hasOneAddress, placeProblem, projectName } from "./provider/place.ts";
import { type ProviderKind, type ProviderKinds, transcriptionWires } from "./provider-kind.ts";
import { secretName } from "./secret-name.ts";

const seconds = z.number().positive().max(3_600);

/** Returns the schema of a provider's entry, which is of one of these kinds. */
export function providerSchema(kinds: ProviderKinds) {
  const all = Object.values(kinds);
  const names = all.map(({ name }) => name);
  const kindOf = (name: string) => kinds[name] as ProviderKind;
  const regional = namesOf(all.filter(({ regions }) => regions !== undefined));
  const speakers = namesOf(all.filter(speaksResponses));
  const formTakers = namesOf(all.filter((kind) => kind.transcriptionForms === "optional"));
  return z
    .strictObject({
      kind: z.enum(names).default(names[0] ?? ""),
      base_url: httpUrl.optional(),
      base_url_env: variableName.optional(),
      api_key_env: keyVariable(all).optional(),
      secret: secretName.optional(),
      keys: keysSchema(keyVariable(all)).optional(),
      identity: identityEntry.optional(),
      region: z.string().optional(),
      project: projectName.optional(),
      responses: z.boolean().optional(),
      transcriptions: z.enum(transcriptionWires).optional(),
      continuous_usage: z.boolean().optional(),
      private_urls: z.boolean().optional(),
      ...connectionMembers,
      connect_seconds: seconds.optional(),
      first_byte_seconds: seconds.optional(),
      timeout_seconds: seconds.optional(),
      total_seconds: seconds.optional(),
    })
    .refine((entry) => hasOneAddress(entry, kindOf(entry.kind)), {
      error: "must have either base_url or base_url_env",
    })
    .refine(({ api_key_env, secret }) => api_key_env === undefined || secret === undefined, {
      path: ["secret"],
      error: "must not be set beside api_key_env: a provider has one key",
    })
    .refine(({ api_key_env, secret, keys }) => !keys || (api_key_env ?? secret) === undefined, {
      path: ["keys"],
      error: "must not be set beside api_key_env or secret: list all keys",
    })
    .refine((entry) => entry.identity === undefined || !hasKey(entry), {
      path: ["identity"],
      error: "must not be set beside a key: a provider is called by one or the other",
    })
    .superRefine(({ kind, identity }, context) => {
      const problem = identityProblem(identity, kindOf(kind));
      if (problem !== undefined) context.addIssue({ code: "custom", ...problem });
    })
    .refine(hasOneProxy, {
      path: ["proxy_env"],
      error: "must not be set beside proxy: a provider has one proxy",
    })
    .superRefine((entry, context) => {
      const problem = placeProblem(entry, kindOf(entry.kind), regional);
      if (problem !== undefined) context.addIssue({ code: "custom", ...problem });
    })
    .refine(({ kind, responses }) => responses !== true || speaksResponses(kindOf(kind)), {
      path: ["responses"],
      error: `must not be true: only providers of ${speakers} speak the Responses API`,
    })
    .refine(({ kind, transcriptions }) => takesWire(kindOf(kind), transcriptions), {
      path: ["transcriptions"],
      error: `must not be set: only providers of ${formTakers} transcribe files in either way`,
    })
    .refine((entry) => entry.continuous_usage !== true || speaksChat(kindOf(entry.kind)), {
      path: ["continuous_usage"],
      error: "must not be true: its providers are not sent the stream_options of OpenAI's API",
    });
}

/** Variables with secrets of the gateway itself, and those that change how its program runs. */
const ownVariables = /^(DATABASE_URL|NATS_URL|(TOLLGATE|OTEL|NODE)_.*)$/;

/** Of a vendor's variables, only that of its API key may be sent to a provider as one. */
function keyVariable(kinds: readonly ProviderKind[]) {
  const ofVendors = kinds.flatMap(({ variables }) => variables ?? []);
  const ofIdentities = kinds.flatMap(({ identity }) => identity?.variables ?? []);
  const others = [...ofVendors, ...ofIdentities].map(({ owner }) => owner);
  const owners = ["the gateway", ...others].join(" or of ");
  const isSecret = (name: string) =>
    ownVariables.test(name) ||
    ofVendors.some(({ key, pattern }) => pattern.test(name) && name !== key) ||
    ofIdentities.some(({ pattern }) => pattern.test(name));
  return variableName.refine(
    (name) => !isSecret(name),
    `must not be a variable of ${owners}: its value would be sent to the provider`,
  );
}

interface Keys {
  api_key_env?: string | undefined;
  secret?: string | undefined;
  keys?: readonly unknown[] | undefined;
}

function hasKey({ api_key_env, secret, keys }: Keys): boolean {
  return (api_key_env ?? secret ?? keys) !== undefined;
}

function takesWire(
  { transcriptionForms: forms }: ProviderKind,
  wire: (typeof transcriptionWires)[number] | undefined,
): boolean {
  return wire === undefined || forms === "optional" || (forms === "always" && wire === "multipart");
}

function speaksChat({ nativeWires }: ProviderKind): boolean {
  return nativeWires.has("chat");
}

function speaksResponses({ nativeWires }: ProviderKind): boolean {
  return nativeWires.has("responses");
}

/** Returns kinds for a sentence: `the kind a`, or `the kinds a, b and c`. */
function namesOf(kinds: readonly ProviderKind[]): string {
  const names = kinds.map(({ name }) => name);
  const last = names.pop() ?? "";
  return names.length === 0 ? `the kind ${last}` : `the kinds ${names.join(", ")} and ${last}`;
}
