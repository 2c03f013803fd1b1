/**
 * How many of the chunks that were sent did not come, and how many came in another's place. The
 * longest run of chunks that came in their order is in its place; what came besides is not.
 */
export function compareChunks(
  sent: readonly string[],
  came: readonly string[],
): { lost: number; reordered: number } {
  if (sent.length === came.length && sent.every((text, index) => text === came[index])) {
    return { lost: 0, reordered: 0 };
  }
  const left = Map.groupBy(sent, (text) => text);
  const known = came.filter((text) => left.get(text)?.pop() !== undefined);
  const inOrder = longestCommonOrder(sent, known);
  return { lost: sent.length - known.length, reordered: known.length - inOrder };
}

function longestCommonOrder(one: readonly string[], other: readonly string[]): number {
  let before = new Array<number>(other.length + 1).fill(0);
  for (const text of one) {
    const now = [0];
    for (const [index, candidate] of other.entries()) {
      const best = Math.max(now[index] ?? 0, before[index + 1] ?? 0);
      now.push(text === candidate ? (before[index] ?? 0) + 1 : best);
    }
    before = now;
  }
  return before.at(-1) ?? 0;
}
