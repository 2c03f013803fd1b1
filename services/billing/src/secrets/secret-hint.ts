const shownStart = 3;
const shownEnd = 4;
/** What is shown of a shorter value would make the rest of it easy to guess. */
const shortestShown = 20;

/** Returns what operators are shown of a secret's value: `sk-…4f2a`. */
export function hintOf(value: string): string {
  if (value.length < shortestShown) return "…";
  return `${value.slice(0, shownStart)}…${value.slice(-shownEnd)}`;
}
