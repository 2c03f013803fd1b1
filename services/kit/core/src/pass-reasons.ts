/** The texts for the reasons in a request's record for which a slot was not called. */
const texts: Readonly<Record<string, string>> = {
  disabled: "disabled",
  key_refused: "its key is refused",
  cools: "its provider limits the rate",
  out: "its calls have failed",
  full: "its limits are reached",
  context_length: "its context is too short",
  unable: "its provider does not take the request",
  refused: "another slot has refused the request",
};

/** Returns why a slot was not called, in words. */
export function passReasonText(reason: string): string {
  return texts[reason] ?? reason;
}
