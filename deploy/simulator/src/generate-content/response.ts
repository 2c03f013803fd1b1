import type { GeneratedContent, GeneratedContentPart } from "./generated.ts";

/** Returns the response, or a chunk of it, as Gemini's API sends it. */
export function responseOf(
  content: GeneratedContent,
  modelVersion: string,
  parts: readonly GeneratedContentPart[],
  isLast: boolean,
): object {
  const { responseId, usageMetadata, blockReason, finishReason, finishMessage } = content;
  const head = { usageMetadata, modelVersion, responseId };
  if (blockReason !== undefined) return { promptFeedback: { blockReason }, ...head };
  const finish = isLast ? { finishReason, ...(finishMessage && { finishMessage }) } : {};
  const generated = parts.length === 0 ? {} : { content: { parts, role: "model" } };
  return { candidates: [{ ...generated, ...finish, index: 0 }], ...head };
}

/** Returns a whole response's parts: texts that follow each other are one. */
export function joinedParts(content: GeneratedContent): readonly GeneratedContentPart[] {
  const joined: GeneratedContentPart[] = [];
  for (const part of content.chunks.flat()) {
    const last = joined.at(-1);
    if (part.text === undefined || last?.text === undefined || last.thought !== part.thought) {
      joined.push(part);
      continue;
    }
    joined.splice(-1, 1, { ...last, ...part, text: last.text + part.text });
  }
  return joined;
}
