import { costWarnings } from "./cost-warnings.ts";
import type { Catalog, Model, Slot } from "./model.ts";
import { costOfPassing } from "./passed-members.ts";
import { transcriptionProblems } from "./transcription-problems.ts";

/**
 * Returns one warning, on one line, for each setting of a model by which its holds may be too small, or
 * a slot of it cannot serve some requests, and for each price below what the provider charges.
 */
export function catalogWarnings(catalog: Catalog): string[] {
  const problems = [...catalog.models.values()].flatMap((model, index) => {
    const problems = [
      ...mediaProblems(model),
      ...slotProblems(model),
      ...passProblems(model),
      ...transcriptionProblems(model),
    ];
    return problems.map((problem) => `models[${index}] (${model.alias}): ${problem}`);
  });
  return [...problems, ...costWarnings(catalog)];
}

function mediaProblems({ vision, imageTokens, inputs, audioTokensPerSecond, chain }: Model) {
  const problems: string[] = [];
  if (vision && imageTokens === undefined) {
    problems.push("takes images and has no image_tokens: 1200 are held for each image");
  }
  if (inputs?.has("audio") !== true) return problems;
  if (audioTokensPerSecond === undefined) {
    problems.push("takes audio and has no audio_tokens_per_second: 32 are held for each second");
  }
  const isUnpriced = ({ pricing }: Slot) =>
    [pricing, ...(pricing.tiers ?? [])].some(({ audio_input }) => audio_input === undefined);
  for (const [index, slot] of chain.entries()) {
    if (!isUnpriced(slot) || !slot.provider.kind.chatInputs.has("audio")) continue;
    problems.push(`chain[${index}] takes audio and has no price of audio_input: it costs as input`);
  }
  return problems;
}

function passProblems({ passes, chain }: Model): string[] {
  const costs = [...passes].flatMap((name) => {
    const reason = costOfPassing(name);
    return reason === undefined
      ? []
      : [`passes ${name}, which may cost more than is priced: ${reason}`];
  });
  if (passes.size === 0) return costs;
  const refusals = chain.flatMap(({ provider: { kind } }, index) => {
    if (kind.takesOtherMembers) return [];
    const problem = `providers of the kind ${kind.name} take no members of passes`;
    return [`chain[${index}] refuses requests with ${[...passes].join(", ")}: ${problem}`];
  });
  return [...costs, ...refusals];
}

function slotProblems({ inputs, chain }: Model): string[] {
  return [...(inputs ?? [])].flatMap((input) =>
    chain.flatMap(({ provider: { kind } }, index) => {
      if (kind.chatInputs.has(input)) return [];
      const problem = `providers of the kind ${kind.name} take no ${input}`;
      return [`chain[${index}] is left out of requests with ${input}: ${problem}`];
    }),
  );
}
