import type { KnownTranscribers } from "@tollgate/catalog/provider-kind";

/** The vendors that transcribe files by OpenAI's form, and the units of OpenAI's models. */
export const openaiTranscribers: KnownTranscribers = {
  formHosts:
    /(?:^|\.)(?:openai\.com|(?:openai|cognitiveservices|services\.ai)\.azure\.com|groq\.com|together\.(?:xyz|ai)|fireworks\.ai|mistral\.ai|deepinfra\.com|sambanova\.ai|siliconflow\.(?:cn|com)|lemonfox\.ai|scaleway\.ai|openrouter\.ai)$/,
  tokenModels: /gpt-.*transcribe/,
  secondModels: /whisper/,
};
