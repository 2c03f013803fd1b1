import { isAbsolute } from "node:path";
import { z } from "zod";

/** The name of a variable of the environment. */
export const variableName = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]*$/, "must be the name of an environment variable");

export const httpUrl = z.url({
  protocol: /^https?$/,
  error: "must be an http or https URL",
});

const proxyUrl = httpUrl.refine(hasNoPassword, {
  error: "must have no user and no password: name the variable with its URL by proxy_env",
});

const file = z.string().refine(isAbsolute, { error: "must be the absolute path of a file" });

const tlsSchema = z
  .strictObject({ ca: file.optional(), cert: file.optional(), key: file.optional() })
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), {
    error: "must have both cert and key, or neither",
  });

/** The members of a provider's entry that say how its connections are opened. */
export const connectionMembers = {
  proxy: z.union([z.literal("none"), proxyUrl], { error: describeProxy }).optional(),
  proxy_env: variableName.optional(),
  tls: tlsSchema.optional(),
};

function describeProxy({ input }: { input?: unknown }): string {
  const { error } = proxyUrl.safeParse(input);
  return `${error?.issues[0]?.message ?? "must be an http or https URL"}, or none`;
}

function hasNoPassword(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

export interface ConnectionEntry {
  proxy?: string | undefined;
  proxy_env?: string | undefined;
  tls?: z.infer<typeof tlsSchema> | undefined;
}

/** Whether an entry names at most one proxy. */
export function hasOneProxy({ proxy, proxy_env }: ConnectionEntry): boolean {
  return proxy === undefined || proxy_env === undefined;
}

/** Returns the members of a provider that say how its connections are opened. */
export function connectionOf({ proxy, proxy_env, tls }: ConnectionEntry) {
  return {
    ...(proxy === undefined ? {} : { proxy }),
    ...(proxy_env === undefined ? {} : { proxyEnv: proxy_env }),
    ...(tls === undefined ? {} : { tls }),
  };
}
