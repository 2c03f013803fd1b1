import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readWorkspaces } from "./workspaces.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const maxLines = 70;

/** The comment above a longer function says why it is one. */
const justification = "Longer than 70 lines:";

/** The first line of a function, and of a method, as the formatter writes them. */
const heads = [
  /^(\s*)(?:export )?(?:async )?function\*? \w+[<(]/,
  /^(\s*)(?:static )?(?:async )?\*?(?!if|for|while|switch|catch)#?\w+\(.*\)(?:: .+)? \{$/,
];

/**
 * Returns the functions of a text that are too long and do not say why. Those inside a function count
 * as its lines; blank lines and comments do not. The linter counts a function without those inside.
 */
function longFunctions(lines: readonly string[]): string[] {
  return lines.flatMap((line, start) => {
    const indent = heads.map((head) => head.exec(line)?.[1]).find((one) => one !== undefined);
    if (indent === undefined) return [];
    const end = lines.findIndex((one, at) => at > start && one.replace(/,$/, "") === `${indent}}`);
    const count = lines.slice(start, end + 1).filter(isCode).length;
    if (count <= maxLines || commentAbove(lines, start).includes(justification)) return [];
    return [`${start + 1}: ${line.trim()} has ${count} lines`];
  });
}

function isCode(line: string): boolean {
  return !/^\s*($|\/\/|\/\*|\*)/.test(line);
}

function commentAbove(lines: readonly string[], start: number): string {
  let first = start;
  while (first > 0 && /^\s*(\/\/|\/\*|\*)/.test(lines[first - 1] ?? "")) first -= 1;
  return lines.slice(first, start).join("\n");
}

test(`a function of more than ${maxLines} lines says why it is one`, async () => {
  const workspaces = await readWorkspaces();
  const files = workspaces.flatMap(({ files }) => files).filter(({ isTest }) => !isTest);
  const found: string[] = [];
  for (const { path } of files) {
    const text = await readFile(`${root}${path}`, "utf8");
    found.push(...longFunctions(text.split("\n")).map((problem) => `${path}:${problem}`));
  }
  expect(found).toEqual([]);
});
