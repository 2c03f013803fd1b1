import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import type { Refusal, SlotFailure } from "@tollgate/upstream/failure";
import { hideKeys } from "@tollgate/upstream/redaction";

const maxCharacters = 2_000;

/**
 * Returns what a provider said in a refusal, for operators: its message, else the body of its response,
 * else that of the failure. It has neither the provider's credentials nor what looks like a key.
 */
export function errorTextOf(
  { refusal, said, hint, message }: SlotFailure,
  kind: ProviderKind,
  redact: (text: string) => string,
): string {
  const text = (refusal && textOf(refusal, kind)) || said || hint || message;
  return hideKeys(redact(text)).slice(0, maxCharacters).toWellFormed();
}

function textOf({ body }: Refusal, kind: ProviderKind): string {
  const text = body.toString("utf8").trim();
  try {
    const parsed: unknown = JSON.parse(text);
    return kind.refusalMessage(parsed) ?? text;
  } catch {
    return text;
  }
}
