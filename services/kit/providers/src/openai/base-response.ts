import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/** The statuses that MiniMax's codes stand for: https://platform.minimax.io/docs/api-reference/errorcode */
const statuses: ReadonlyMap<unknown, number> = new Map([
  [1002, 429],
  [1004, 401],
  [1008, 402],
  [1026, 400],
  [1027, 400],
  [1039, 429],
  [1041, 429],
  [1042, 400],
  [2013, 400],
  [2045, 429],
  [2049, 401],
  [2056, 429],
]);

/**
 * Returns the status of failure for which the code in MiniMax's `base_resp` stands. Undefined for success,
 * and for a response without a code.
 */
export function statusOfBaseResponse({ base_resp }: JsonObject): number | undefined {
  const code = isJsonObject(base_resp) ? base_resp.status_code : undefined;
  if (code === undefined || code === null || code === 0) return undefined;
  return statuses.get(code) ?? 500;
}
