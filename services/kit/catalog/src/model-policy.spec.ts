import { expect, test } from "vitest";
import { allowsModel, matchesGlob } from "./model-policy.ts";

test("a star in a glob matches any characters, and all others match themselves", () => {
  const matching = [
    ["*", "a"],
    ["*", ""],
    ["acme/*", "acme/large/v1"],
    ["*-mini", "acme/chat-mini"],
    ["a*c*e", "abcde"],
    ["a**c", "abc"],
    ["*ab", "aab"],
    ["a.c", "a.c"],
    ["a*b*", "ab"],
  ] as const;
  for (const [glob, text] of matching)
    expect([glob, text, matchesGlob(glob, text)]).toContain(true);
  const other = [
    ["", "a"],
    ["acme/*", "acme"],
    ["a.c", "abc"],
    ["a?c", "abc"],
    ["[ab]", "a"],
    ["abc", "ab"],
    ["ab", "abc"],
    ["*a", "ab"],
    ["A*", "abc"],
  ] as const;
  for (const [glob, text] of other) expect([glob, text, matchesGlob(glob, text)]).toContain(false);
});

test("a glob of many stars is matched in a bounded number of steps", () => {
  const glob = "*a".repeat(100);
  const startedAt = performance.now();
  for (let round = 0; round < 100; round += 1) {
    expect(matchesGlob(glob, `${"a".repeat(199)}b`)).toBe(false);
  }
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

test("an unlisted model is for keys that name it, and an internal one for none", () => {
  const model = (visibility: "public" | "unlisted" | "internal") => ({ alias: "a/b", visibility });
  for (const [models, expected] of [
    [[], [true, false, false]],
    [["a/*"], [true, false, false]],
    [
      ["*", "a/b"],
      [true, true, false],
    ],
    [["b/*"], [false, false, false]],
  ] as const) {
    const allowed = (["public", "unlisted", "internal"] as const).map((visibility) =>
      allowsModel(models, model(visibility)),
    );
    expect(allowed).toEqual(expected);
  }
});
