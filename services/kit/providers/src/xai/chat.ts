import type { ChatMember, Slot } from "@tollgate/catalog/model";
import { kindProperties } from "@tollgate/catalog/provider-kinds";
import type { JsonObject } from "@tollgate/core/json";
import { isChatMember, notSupported, setMembers } from "../ai-sdk/members.ts";

/** What models that reason refuse: https://docs.x.ai/docs/guides/reasoning */
const refusedByReasoning: readonly ChatMember[] = ["frequency_penalty", "presence_penalty", "stop"];

/** Throws `invalid_param` for a member of a chat request that xAI's API or the model does not take. */
export function checkXaiChat({ upstreamModel }: Slot, request: JsonObject): void {
  const { chatParameters } = kindProperties.xai;
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
