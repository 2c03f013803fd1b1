/** Whether a model is one of Anthropic's, whose id names it, also behind an inference profile. */
export function isClaude(modelId: string): boolean {
  return modelId.includes("anthropic");
}

/** Whether a model is one of Amazon's Nova. */
export function isNova(modelId: string): boolean {
  return modelId.includes("amazon.nova");
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html */
export function readsCacheMarks(modelId: string): boolean {
  return isClaude(modelId) || isNova(modelId);
}
