import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";

/**
 * Returns chat messages whose last part has the mark of a request, which Anthropic puts on the last block
 * that it caches: https://docs.claude.com/en/docs/build-with-claude/prompt-caching
 */
export function withAutomaticMark(messages: readonly JsonObject[], mark: unknown): JsonObject[] {
  const last = messages.at(-1);
  if (!isJsonObject(mark) || last === undefined) return [...messages];
  const { content } = last;
  const parts =
    typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
  const part = parts.at(-1);
  if (part === undefined || part.text === "" || part.cache_control !== undefined) {
    return [...messages];
  }
  const marked = [...parts.slice(0, -1), { ...part, cache_control: mark }];
  return [...messages.slice(0, -1), { ...last, content: marked }];
}
