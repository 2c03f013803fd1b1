const maxNames = 5;
const minSimilarity = 0.5;

/** Returns up to 5 names that share most of their pairs of letters with `name`, best first. */
export function closest(name: string, names: readonly string[]): string[] {
  const wanted = pairsOf(name);
  return names
    .map((candidate) => ({ candidate, similarity: similarity(wanted, pairsOf(candidate)) }))
    .filter(({ similarity }) => similarity >= minSimilarity)
    .sort((left, right) => right.similarity - left.similarity)
    .slice(0, maxNames)
    .map(({ candidate }) => candidate);
}

/** The Sørensen–Dice coefficient, from 0 to 1. */
function similarity(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = [...left].filter((pair) => right.has(pair));
  return (2 * shared.length) / (left.size + right.size);
}

function pairsOf(name: string): ReadonlySet<string> {
  const text = ` ${name.toLowerCase()} `;
  return new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)));
}
