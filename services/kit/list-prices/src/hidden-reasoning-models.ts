import type { Catalog } from "@tollgate/catalog/model";

/**
 * Families of models that bill tokens of reasoning and do not send their text: OpenAI's reasoning models
 * but for the chat forms of GPT-5, xAI's from Grok 4 on, and Claude's that think where a request does not
 * ask for it: https://platform.claude.com/docs/en/build-with-claude/thinking
 */
const families =
  /(^|[/.:])(o[134](?![a-z\d])|gpt-[5-9](?!\S*-chat)|codex-mini|grok-[4-9](?!\S*non-reasoning)|claude-((opus|sonnet|haiku)-[5-9]|fable|mythos))/;

/** Returns whether a provider's model is known to hide its reasoning. */
export function hidesReasoning(upstreamModel: string): boolean {
  return families.test(upstreamModel.toLowerCase());
}

/** Returns a warning for each chat model that is known to hide its reasoning, and does not say so. */
export function reasoningWarnings({ models }: Catalog): string[] {
  return [...models.values()].flatMap(({ alias, routeType, reasoning, chain }) => {
    if (routeType !== "chat" || reasoning !== undefined) return [];
    const slot = chain.find(({ upstreamModel }) => hidesReasoning(upstreamModel));
    if (slot === undefined) return [];
    return [
      `${alias}: ${slot.id} bills reasoning that it does not send: set reasoning: hidden, or a client ` +
        "that leaves a stream does not pay for it",
    ];
  });
}
