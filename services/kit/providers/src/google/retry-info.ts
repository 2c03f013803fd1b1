import { objectsIn } from "@tollgate/core/json";
import { memberOf } from "../refusal-message.ts";

/**
 * Returns the delay that google.rpc.RetryInfo asks for, such as `34.07s`, in an error of Google. Its endpoint
 * of OpenAI's API sends the error in a list.
 */
export function retryInfoMsOf(body: unknown): number | undefined {
  const [error = body] = Array.isArray(body) ? body : [body];
  const details = objectsIn(memberOf(memberOf(error, "error"), "details"));
  for (const { retryDelay } of details) {
    const seconds = /^([\d.]+)s$/.exec(String(retryDelay))?.[1];
    if (seconds !== undefined) return Number(seconds) * 1_000;
  }
  return undefined;
}
