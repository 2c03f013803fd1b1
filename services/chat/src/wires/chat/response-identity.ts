import type { JsonObject } from "@tollgate/core/json";

/** Identifies a response. The contract requires both fields in every response and every chunk. */
export interface ResponseIdentity {
  id: string;
  /** Unix time in seconds. */
  created: number;
}

/** Returns the provider's fields, and ours where they are missing or invalid. */
export function identityOf({ id, created }: JsonObject, ours: ResponseIdentity): ResponseIdentity {
  return {
    id: typeof id === "string" && id !== "" ? id : ours.id,
    created: typeof created === "number" && Number.isInteger(created) ? created : ours.created,
  };
}

/** Returns our identity: an id made from the request's, created now. */
export function ownIdentity(requestId: string, now: Date): ResponseIdentity {
  const hex = requestId.replace(/^req_/, "");
  return { id: `chatcmpl-${hex}`, created: Math.floor(now.getTime() / 1_000) };
}
