import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const workflows = new URL("../../../.github/workflows/", import.meta.url);

// A tag of another repository can be moved, to code that reads the secrets of a release.
it("each action is pinned to a commit, with its version beside it", () => {
  const uses = readdirSync(workflows).flatMap((file) =>
    readFileSync(new URL(file, workflows), "utf8")
      .split("\n")
      .filter((line) => /^\s*(- )?uses:/.test(line)),
  );
  expect(uses.length).toBeGreaterThan(10);
  const pinned = /uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
});
