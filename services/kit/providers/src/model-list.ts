import { isJsonObject } from "@tollgate/core/json";

/** How the models that a key can see are listed by one kind of provider. */
export interface ModelList {
  /** The path of the request, with its query. */
  path: string;
  /** Returns the base URL of the list. Undefined: it is that of the provider. */
  baseUrl?(providerUrl: string): string;
  /** Returns the ids of the models in a response, as slots name them. */
  idsOf(response: unknown): string[];
}

/** Returns a text member of each object in the member `list` of a response. */
export function idsIn(response: unknown, list: string, member: string): string[] {
  return idsOfAll(isJsonObject(response) ? response[list] : undefined, member);
}

/** Returns a text member of each object in a list. */
export function idsOfAll(list: unknown, member: string): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one) => {
    const id = isJsonObject(one) ? one[member] : undefined;
    return typeof id === "string" ? [id] : [];
  });
}

/** The list of OpenAI's API, which other providers have, too. */
export const openaiModelList: ModelList = {
  path: "/models",
  idsOf: (response) => idsIn(response, "data", "id"),
};
