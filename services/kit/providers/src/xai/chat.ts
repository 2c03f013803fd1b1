import { type ChatMember, isChatMember } from "@tollgate/catalog/chat-members";
import type { Slot } from "@tollgate/catalog/model";
import { allChatParameters } from "@tollgate/catalog/provider-kind";
import type { JsonObject } from "@tollgate/core/json";
import { notSupported, setMembers } from "../not-supported.ts";

const notTaken: readonly ChatMember[] = ["top_k", "min_p", "logit_bias", "metadata"];

/** The members of a chat request that xAI's API can be sent. */
export const chatParameters: ReadonlySet<ChatMember> = new Set(
  [...allChatParameters].filter((member) => !notTaken.includes(member)),
);

/** What models that reason refuse: https://docs.x.ai/docs/guides/reasoning */
const refusedByReasoning: readonly ChatMember[] = ["frequency_penalty", "presence_penalty", "stop"];

/** Throws `invalid_param` for a member of a chat request that xAI's API or the model does not take. */
export function checkXaiChat({ upstreamModel }: Slot, request: JsonObject): void {
  for (const [name, value] of Object.entries(request)) {
    if (value === null || setMembers.has(name) || !isChatMember(name)) continue;
    if (!chatParameters.has(name)) throw notSupported(name);
    if (reasons(upstreamModel) && refusedByReasoning.includes(name)) throw notSupported(name);
  }
}

/** Whether a model reasons: all since Grok 4 do, except those whose names say otherwise. */
function reasons(model: string): boolean {
  return /^grok-(3-mini|code|[4-9]|\d\d)/.test(model) && !model.includes("non-reasoning");
}
