import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/**
 * In front of signatures that contain the details of thinking of a provider which does not speak the
 * wire. Clients send a signature back unchanged.
 */
export const detailsPrefix = "tollgate:";

/** Returns details as one signature; empty where there are none. */
export function signatureOf(details: readonly JsonObject[]): string {
  if (details.length === 0) return "";
  return `${detailsPrefix}${Buffer.from(JSON.stringify(details)).toString("base64url")}`;
}

/** Returns the details in a signature; undefined where it is a provider's own. */
export function detailsIn(signature: string): readonly JsonObject[] | undefined {
  if (!signature.startsWith(detailsPrefix)) return undefined;
  try {
    const json = Buffer.from(signature.slice(detailsPrefix.length), "base64url").toString("utf8");
    const details: unknown = JSON.parse(json);
    return Array.isArray(details) ? details.filter(isJsonObject) : [];
  } catch {
    return [];
  }
}
