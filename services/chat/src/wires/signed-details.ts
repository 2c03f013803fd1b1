import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/**
 * In front of signatures that contain the details of thinking of a provider which does not speak the
 * wire. Clients send a signature back unchanged.
 */
export const detailsPrefix = "tollgate:";

/**
 * Returns details as one signature. It is not empty where there are none, so that nobody takes thinking
 * which no provider has signed for a provider's own.
 */
export function signatureOf(details: readonly JsonObject[]): string {
  return `${detailsPrefix}${Buffer.from(JSON.stringify(details)).toString("base64url")}`;
}

/**
 * Returns whether a body may have more things of a kind than things with a signature, or a signature of
 * ours. It is not parsed for that. Both patterns are global.
 */
export function mayBeUnsigned(body: string, thing: RegExp, signature: RegExp): boolean {
  if (body.includes(`"${detailsPrefix}`)) return true;
  const things = body.match(thing)?.length ?? 0;
  return things > 0 && things > (body.match(signature)?.length ?? 0);
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
