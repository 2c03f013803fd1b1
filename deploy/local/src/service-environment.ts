import type { ServiceName } from "@tollgate/runtime/service";

/** The services that call providers. They alone receive variables that may hold a provider's key. */
const callsProviders: ReadonlySet<ServiceName> = new Set(["chat", "audio", "document", "image"]);
/** The services without a database. */
const hasNoDatabase: ReadonlySet<ServiceName> = new Set(["audio", "image", "console"]);

/** The variables that the program, its libraries and Node itself read. */
const programVariables: ReadonlySet<string> = new Set(
  ["DATABASE_URL", "NATS_URL", "HOST", "PORT"].concat(
    ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LANG", "TZ"],
    ["NODE_COMPILE_CACHE", "NODE_OPTIONS", "NODE_ENV", "NODE_EXTRA_CA_CERTS"],
    ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"],
  ),
);
/** The console alone signs operators in, and one of these is a secret. */
const oidcPrefix = "TOLLGATE_OIDC_";
const programPrefixes = ["TOLLGATE_", "OTEL_", "PG"];

/** The services that mint money or change keys, or call those that do. */
const hasOperatorSecret: ReadonlySet<ServiceName> = new Set(["billing", "ledger", "console"]);

/**
 * Returns the variables of `env` that a service needs. A catalog may keep a provider's key in any
 * variable, so a service that calls no provider receives only the variables of the program. The
 * secret of the OpenID client is for the console alone, that of operators for those that need it, the
 * key of stored secrets for those that store and open them, and that of stored contents for billing.
 */
export function environmentOf(name: ServiceName, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([variable]) => {
    if (variable === "DATABASE_URL") return !hasNoDatabase.has(name);
    if (variable === "TOLLGATE_OPERATOR_SECRET") return hasOperatorSecret.has(name);
    if (variable === "TOLLGATE_SECRETS_KEY") return name === "billing" || callsProviders.has(name);
    if (variable === "TOLLGATE_CONTENT_KEY") return name === "billing";
    if (variable.startsWith(oidcPrefix)) return name === "console";
    return callsProviders.has(name) || isOfProgram(variable);
  });
  return Object.fromEntries(own);
}

function isOfProgram(variable: string): boolean {
  const upper = variable.toUpperCase();
  return programVariables.has(upper) || programPrefixes.some((prefix) => upper.startsWith(prefix));
}
