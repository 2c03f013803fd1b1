import type { Environment } from "@tollgate/core/config";
import { GatewayError } from "@tollgate/core/errors";
import {
  type KeyVariable,
  readOptionalSecretsKey,
  type SecretsKey,
} from "@tollgate/core/secrets-key";

/** The variable of the keys that encrypt prompts and responses. */
export const contentVariable: KeyVariable = {
  name: "TOLLGATE_CONTENT_KEY",
  subject: "the content of",
};

/** Reads `TOLLGATE_CONTENT_KEY`, where it is set. Throws a StartError, which does not quote it. */
export function readContentKey(env: Environment): SecretsKey | undefined {
  return readOptionalSecretsKey(env, contentVariable);
}

/** Returns the key. Throws `invalid_param` where there is none, naming the variable. */
export function requireContentKey(key: SecretsKey | undefined): SecretsKey {
  if (key !== undefined) return key;
  const message =
    "The gateway cannot store prompts and responses: TOLLGATE_CONTENT_KEY is not set for billing.";
  throw new GatewayError("invalid_param", message);
}

/** Returns the name under which content is sealed: a row moved to another account cannot be opened. */
export function contentName(requestId: string, accountId: string): string {
  return `${requestId} of ${accountId}`;
}
