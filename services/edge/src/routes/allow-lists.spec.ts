import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ListRule } from "../validation/allow-list.ts";
import { messagesList } from "./messages/allow-list.ts";
import { responsesList } from "./responses/allow-list.ts";

const page = readFileSync(new URL("../../../../docs/agents.md", import.meta.url), "utf8");

/** Returns the part of the page with what a request can have. */
function sectionOf(title: string): string {
  const [, after = ""] = page.split(`### What a ${title} request can have\n`);
  return after.split("\n### ")[0] ?? "";
}

/** Returns the names that a rule lists and that no model must allow, by the path to it. */
function listedIn(rule: ListRule | undefined, ...path: string[]): string[] {
  const [next, ...rest] = path;
  if (rule?.kind === "list") return listedIn(rule.item, ...path);
  const names = rule?.kind === "members" ? rule.members : undefined;
  const all = rule?.kind === "types" ? rule.types : names;
  if (all === undefined) return [];
  if (next !== undefined) return listedIn(all.get(next), ...rest);
  return [...all].flatMap(([name, inner]) => (inner.kind === "gate" ? [] : [name]));
}

test.each([
  ["Messages", messagesList, [[], ["messages"], ["messages", "content"], ["tools"], ["thinking"]]],
  ["Responses", responsesList, [[], ["input"], ["input", "message", "content"], ["tools"]]],
] as const)("the page of the wires has what a %s request can have", (title, list, paths) => {
  // The schema refuses these, with reasons of their own.
  const refused = ["thread", "previous_response_id", "conversation", "prompt"];
  const section = sectionOf(title);
  for (const path of paths) {
    const names = listedIn(list, ...path).filter((name) => !refused.includes(name));
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
  }
});
