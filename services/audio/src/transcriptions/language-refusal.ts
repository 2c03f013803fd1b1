import type { Refusal } from "@tollgate/upstream/failure";

/**
 * A provider's refusal of a language, or a 502 that may be one. The client is sent the provider's
 * body unchanged, as a 502.
 */
export class LanguageRefusal extends Error {
  override readonly name = "LanguageRefusal";
  readonly refusal: Refusal;
  /** Whether a retry with the same language fails again. An outage may be over by then. */
  readonly isPermanent: boolean;

  constructor(refusal: Refusal) {
    super("the provider does not support this language");
    this.refusal = refusal;
    this.isPermanent = namesLanguage(refusal);
  }
}

/**
 * Returns whether the text of a provider's response is about a language. The tags of a web page are
 * not part of its text: most pages declare their own language in one.
 */
export function namesLanguage({ body }: Refusal): boolean {
  const text = body.toString("utf8").replace(/<[^<>]*>/g, " ");
  return /language|(?<![a-z])lang(?![a-z])/i.test(text);
}
