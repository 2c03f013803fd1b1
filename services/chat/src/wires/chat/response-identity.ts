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

/** Returns our identity, made from the request's digits. */
export function ownIdentity({ id, created }: ResponseIdentity): ResponseIdentity {
  return { id: `chatcmpl-${id}`, created };
}
