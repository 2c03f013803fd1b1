import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-cluster-"));
});

afterAll(() => rm(folder, { recursive: true }));

/** Runs the program with the programs in `folder` only. */
async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const options = { env: { PATH: folder } };
    const outputs = await promisify(execFile)(process.execPath, [main, ...args], options);
    return { code: 0, ...outputs };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

test("without kubectl and helm, and without a cluster, it says what it needs", async () => {
  const sentence = /^test:cluster needs kubectl, helm, and a cluster/;
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) });
  for (const [name, exitCode] of [
    ["helm", 0],
    ["kubectl", 1],
  ] as const) {
    await writeFile(join(folder, name), `#!/bin/sh\nexit ${exitCode}\n`);
    await chmod(join(folder, name), 0o755);
  }
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) });
});

test("--help describes the options, and a wrong one is refused by its name", async () => {
  expect(await run("--help")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching("--upgrades"),
  });
  for (const args of [
    ["--image", "tollgate"],
    ["--upgrades", "0"],
    ["--ingress-class", "nginx"],
    ["--only", "upgrades"],
  ] as const) {
    const [option] = args;
    expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(option) });
  }
});
