import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const manifest = new URL("../../../package.json", import.meta.url);
const { scripts } = JSON.parse(readFileSync(manifest, "utf8")) as {
  scripts: Record<string, string>;
};

test("a checkout has at most 15 scripts", () => {
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(15);
});

// A shell remembers where it found a command. In the one that ran prepare.mjs, `node` is the machine's
// own, which may be too old, also after prepare.mjs has installed another.
test("what prepare.mjs prepares is run by npm, in a shell of its own", () => {
  const [prepare, run] = ["node deploy/local/prepare.mjs && ", "npm run --silent "];
  const prepared = Object.entries(scripts).filter(([, script]) => script.includes("prepare.mjs"));
  expect(prepared.length).toBeGreaterThan(5);
  for (const [name, script] of prepared) {
    expect(script.startsWith(`${prepare}${run}`), name).toBe(true);
    expect(script.slice(prepare.length).split(" && "), name).toHaveLength(1);
  }
});
