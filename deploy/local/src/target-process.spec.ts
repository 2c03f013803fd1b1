import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { nodeFlags, startTargetProcess } from "./target-process.ts";

test("a process is started with its target and the flags", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-target-"));
  try {
    const main = pathToFileURL(join(folder, "main.mjs"));
    await writeFile(
      main,
      "process.send({ url: [...process.execArgv, ...process.argv.slice(2)].join(' ') });",
    );
    const child = await startTargetProcess({ main, target: "chat" }, { PATH: process.env.PATH });
    expect(child.ready.url).toBe(`${nodeFlags.join(" ")} --target chat`);
    await child.exited;
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("`npm start` and the image have the same flags", async () => {
  const root = new URL("../../../", import.meta.url);
  const { scripts } = JSON.parse(await readFile(new URL("package.json", root), "utf8"));
  expect(scripts.gateway).toContain(`node ${nodeFlags.join(" ")} `);
  const entryPoint = ["/usr/bin/tini", "--", "/usr/bin/node", ...nodeFlags, "main.mjs"];
  const last = (await readFile(new URL("deploy/Dockerfile", root), "utf8")).split("FROM ").at(-1);
  expect(last).toContain(`ENTRYPOINT ${JSON.stringify(entryPoint).replaceAll(",", ", ")}\n`);
});

test("V8 does not mark a heap below the size in the flags", async () => {
  expect(await countMarkings([])).toBeGreaterThan(0);
  expect(await countMarkings(nodeFlags)).toBe(0);
});

/** Returns how often V8 marks a heap that grows to 100 MB after a first collection. */
async function countMarkings(flags: readonly string[]): Promise<number> {
  const program = `
    const kept = [];
    gc();
    for (let index = 0; index < 100_000; index += 1) kept.push(new Array(125).fill(index + 0.5));
  `;
  const args = [...flags, "--expose-gc", "--trace-gc", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return (stdout.match(/Mark-Compact/g)?.length ?? 0) - 1;
}
