import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import type { Refusal, SlotFailure } from "@tollgate/upstream/failure";
import { hideKeys } from "@tollgate/upstream/redaction";

const maxCharacters = 2_000;

/**
 * Returns the text of a failure for operators: the message in the provider's response, else the body of the
 * response, else the message of the failure. Hides the provider's credentials and all texts that look like keys.
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
