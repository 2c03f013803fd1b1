import type { Model, Slot } from "./model.ts";

/**
 * Returns one problem for each slot of a transcriptions model whose vendor takes OpenAI's form and is not
 * sent it, and for each that reports another unit than the one that has a price.
 */
export function transcriptionProblems(model: Model): string[] {
  if (model.routeType !== "transcriptions") return [];
  return model.chain.flatMap((slot, index) => {
    const problem = wireProblem(slot) ?? unitProblem(slot, model);
    return problem === undefined ? [] : [`chain[${index}]: ${problem}`];
  });
}

function wireProblem({ provider }: Slot): string | undefined {
  const { name, kind, baseUrl = "", takesTranscriptionForms } = provider;
  if (takesTranscriptionForms || kind.transcriptionForms !== "optional") return undefined;
  if (!URL.canParse(baseUrl)) return undefined;
  const { hostname } = new URL(baseUrl);
  if (kind.knownTranscribers?.formHosts.test(hostname) !== true) return undefined;
  return `${hostname} takes files in a form: set transcriptions: multipart of the provider ${name}`;
}

function unitProblem(
  { provider, upstreamModel }: Slot,
  { unitType, audioTokensPerSecond }: Model,
): string | undefined {
  const known = provider.kind.knownTranscribers;
  if (provider.takesTranscriptionForms !== true || known === undefined) return undefined;
  if (unitType === "tokens") {
    if (!known.secondModels.test(upstreamModel)) return undefined;
    return `${upstreamModel} reports seconds, and is priced by tokens, which are estimated`;
  }
  if (audioTokensPerSecond !== undefined || !known.tokenModels.test(upstreamModel))
    return undefined;
  const problem = `${upstreamModel} reports tokens, and is priced by seconds`;
  return `${problem}: set audio_tokens_per_second, or prices of tokens`;
}
