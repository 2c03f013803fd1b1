import { errorCatalogue, GatewayError, isErrorCode } from "@tollgate/core/errors";
import { jsonObjectOf } from "@tollgate/core/json";

/**
 * Returns the error with which a service refuses a live stream, by the first message that it sends; undefined
 * for another message. A failure of the gateway or a provider has a record of the ledger.
 */
export function streamRefusal(text: string): GatewayError | undefined {
  const { error } = jsonObjectOf(text) ?? {};
  const { code, message, param } = (error ?? {}) as Record<string, unknown>;
  if (typeof code !== "string" || !isErrorCode(code) || typeof message !== "string")
    return undefined;
  return new GatewayError(code, message, {
    param: typeof param === "string" ? param : undefined,
    hasRecord: errorCatalogue[code].status >= 500,
  });
}
