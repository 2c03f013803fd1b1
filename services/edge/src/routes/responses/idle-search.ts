import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/**
 * Returns whether a tool may read no more than its provider's cache of pages. Codex offers it unless
 * its settings say otherwise.
 */
export function isIdleSearch({ type, external_web_access }: JsonObject): boolean {
  return type === "web_search" && external_web_access === false;
}

/** Returns those members of a request that have such a tool, without it. */
export function withoutIdleSearch({ tools, input }: JsonObject): JsonObject {
  return {
    ...(hasIdleSearch(tools) ? { tools: withoutIdle(tools) } : {}),
    ...(Array.isArray(input) && input.some(hasIdleItem) ? { input: input.map(keptItem) } : {}),
  };
}

function hasIdleItem(item: unknown): boolean {
  return isJsonObject(item) && hasIdleSearch(item.tools);
}

function keptItem(item: JsonObject): JsonObject {
  return hasIdleItem(item) ? { ...item, tools: withoutIdle(item.tools) } : item;
}

function hasIdleSearch(tools: unknown): boolean {
  return Array.isArray(tools) && tools.some((tool) => isJsonObject(tool) && isIdleSearch(tool));
}

function withoutIdle(tools: unknown): unknown[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter((tool) => !isJsonObject(tool) || !isIdleSearch(tool));
}
