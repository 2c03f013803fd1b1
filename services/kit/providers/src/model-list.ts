import { isJsonObject } from "@tollgate/core/json";

/** How the models that a key can see are listed by one kind of provider. */
export interface ModelList {
  /** The path of the request, with its query. */
  path: string;
  /** Returns the address to which the path is appended, where that is another one than the provider's. */
  baseUrl?(providerUrl: string): string;
  /** Returns the ids of the models in a response, as slots name them. */
  idsOf(response: unknown): string[];
}

/** Returns the texts that the objects in a list of the response have as one member. */
export function idsIn(response: unknown, list: string, member: string): string[] {
  return idsOfAll(isJsonObject(response) ? response[list] : undefined, member);
}

/** Does the same for the list itself. */
export function idsOfAll(list: unknown, member: string): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one) => {
    const id = isJsonObject(one) ? one[member] : undefined;
    return typeof id === "string" ? [id] : [];
  });
}

/** The list of OpenAI's API, which others have, too. */
export const openaiModelList: ModelList = {
  path: "/models",
  idsOf: (response) => idsIn(response, "data", "id"),
};
