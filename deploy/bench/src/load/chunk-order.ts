/**
 * Counts the chunks that were sent but not received, and the received chunks that are out of order.
 * The chunks of the longest common subsequence are in order; other received chunks are not.
 */
export function compareChunks(
  sent: readonly string[],
  received: readonly string[],
): { lost: number; reordered: number } {
  if (sent.length === received.length && sent.every((text, index) => text === received[index])) {
    return { lost: 0, reordered: 0 };
  }
  const remaining = Map.groupBy(sent, (text) => text);
  const known = received.filter((text) => remaining.get(text)?.pop() !== undefined);
  const inOrder = longestCommonSubsequence(sent, known);
  return { lost: sent.length - known.length, reordered: known.length - inOrder };
}

function longestCommonSubsequence(one: readonly string[], other: readonly string[]): number {
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
