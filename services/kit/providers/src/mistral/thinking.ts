import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";

/** The efforts of a model that is not in the table: https://docs.mistral.ai/capabilities/reasoning */
const usualEfforts = ["none", "high"];

const none: readonly string[] = [];
const byMistral = ["low", "medium", "high"];
const byZai = ["low", "high", "max"];

/** The efforts of all other models. */
const effortsOf: ReadonlyMap<string, readonly string[]> = new Map([
  ["codestral-2508", none],
  ["codestral-latest", none],
  ["ministral-14b-2512", none],
  ["ministral-14b-latest", none],
  ["ministral-3b-2512", none],
  ["ministral-3b-latest", none],
  ["ministral-8b-2512", none],
  ["ministral-8b-latest", none],
  ["mistral-code-fim-latest", none],
  ["mistral-code-latest", none],
  ["mistral-large-latest", none],
  ["mistral-large-2512", none],
  ["voxtral-small-2507", none],
  ["voxtral-small-latest", none],
  ["mistral-large-4", byMistral],
  ["mistral-large-4-0", byMistral],
  ["zai-glm-5", byZai],
  ["zai-glm-5-3", byZai],
  ["zai-glm-5-3-flash", byZai],
  ["zai-glm-latest", byZai],
]);

/** Families that take no effort, and the versions of others from before their efforts. */
const without =
  /^(codestral|devstral|labs-devstral|mathstral|ministral|open-|pixtral|voxtral|mistral-(code|nemo|saba|tiny))|^(magistral-(medium|small)|mistral-(large|medium|small))-2[0-5]\d\d$/;

/** Whether a model thinks by request. The switch of thinking is left out for one that does not. */
export function thinks(modelId: string): boolean {
  const known = effortsOf.get(modelId);
  return known === undefined ? !without.test(modelId) : known !== none;
}

/** Returns the member of a request that the model does not take. */
export function unsupportedMember(
  modelId: string,
  { reasoning }: Pick<LanguageModelV4CallOptions, "reasoning">,
): string | undefined {
  if (reasoning === undefined) return undefined;
  const efforts = effortsOf.get(modelId) ?? usualEfforts;
  return efforts.includes(reasoning) ? undefined : "reasoning_effort";
}
