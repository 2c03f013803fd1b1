import type { JsonObject } from "@tollgate/core/json";

/** What tells an answer from all others: the contract has both in every answer and every chunk. */
export interface AnswerIdentity {
  id: string;
  /** In seconds. */
  created: number;
}

/** The provider's, and in place of what it leaves out, or has in no form of the contract, ours. */
export function identityOf({ id, created }: JsonObject, ours: AnswerIdentity): AnswerIdentity {
  return {
    id: typeof id === "string" && id !== "" ? id : ours.id,
    created: typeof created === "number" && Number.isInteger(created) ? created : ours.created,
  };
}

/** Ours: after the request, and made now. */
export function ownIdentity(requestId: string, now: Date): AnswerIdentity {
  const hex = requestId.replace(/^req_/, "");
  return { id: `chatcmpl-${hex}`, created: Math.floor(now.getTime() / 1_000) };
}
