import type { SourceFile } from "./workspaces.ts";

/**
 * Returns every import that is part of a cycle among `files`, as `a.ts → b.ts`: those between two
 * files of which each reaches the other.
 */
export function findCycleArrows(files: readonly SourceFile[]): string[] {
  const importsOf = new Map(
    files.map(({ path, imports }) => [path, imports.flatMap(({ file }) => file ?? [])]),
  );
  return [...importsOf].flatMap(([path, imported]) =>
    imported
      .filter((other) => reachableFrom(other, importsOf).has(path))
      .map((other) => `${path} → ${other}`),
  );
}

function reachableFrom(
  start: string,
  importsOf: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const path of reached) for (const next of importsOf.get(path) ?? []) reached.add(next);
  return reached;
}
