import { GatewayError } from "@tollgate/core/errors";
import { isJsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";

/** Returns the error of a prompt that is too long, as the wire's clients expect it. */
export type DescribeLength = (hint: string) => { param: string; message: string };

/**
 * Returns the error to throw where a provider refused a request and said why: `context_length_exceeded`
 * for a prompt that is too long, which makes agents shorten it, and `invalid_param` for what the
 * client's own bytes say (`isNative`). Returns any other error unchanged.
 */
export function describeRefusal(
  error: unknown,
  isNative: boolean,
  describeLength: DescribeLength,
): unknown {
  if (!(error instanceof GatewayError) || !(error.cause instanceof SlotFailure)) return error;
  const { hint, isTooLong } = error.cause;
  if (isTooLong) {
    const { param, message } = describeLength(hint ?? "The prompt is too long for the model.");
    return new GatewayError("context_length_exceeded", message, { param, cause: error });
  }
  if (hint === undefined || !isNative) return error;
  return new GatewayError("invalid_param", hint, { param: paramOf(error.cause), cause: error });
}

/** Returns the member that a provider's error names, as OpenAI's do. */
function paramOf({ refusal }: SlotFailure): string | undefined {
  try {
    const body: unknown = JSON.parse(refusal?.body.toString("utf8") ?? "");
    const error = isJsonObject(body) ? body.error : undefined;
    const param = isJsonObject(error) ? error.param : undefined;
    return typeof param === "string" ? param : undefined;
  } catch {
    return undefined;
  }
}
