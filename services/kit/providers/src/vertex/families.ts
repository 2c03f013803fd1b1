/** Whether a model is one of Anthropic's, whose ids on Vertex AI begin with its name. */
export function isClaudeOnVertex(modelId: string): boolean {
  return modelId.startsWith("claude-");
}

/**
 * Returns the path of a method of a model, after the address of a location:
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
 */
export function methodPath(model: string, method: string): string {
  const publisher = isClaudeOnVertex(model) ? "anthropic" : "google";
  // The ids of versions have an @, which Google's own clients send as it is.
  const id = encodeURIComponent(model).replaceAll("%40", "@");
  return `/publishers/${publisher}/models/${id}:${method}`;
}
