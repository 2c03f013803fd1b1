import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startChild } from "./child.ts";
import { isAlive } from "./process-table.ts";

const env = { PATH: process.env.PATH };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-child-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function writeProgram(text: string): Promise<URL> {
  const file = join(folder, "program.mjs");
  await writeFile(file, text);
  return pathToFileURL(file);
}

test("a child is ready when it reports so, and is stopped with SIGTERM", async () => {
  const file = await writeProgram(
    'process.send({ url: "http://here" }); setInterval(() => {}, 1000);',
  );
  const child = await startChild({ name: "the child", file }, env);
  expect(child.ready).toEqual({ url: "http://here" });
  await child.stop();
  expect(await child.exited).toBe("SIGTERM");
});

test("a child that exits before it is ready fails the start with its output", async () => {
  const file = await writeProgram('process.stderr.write("no database"); process.exitCode = 3;');
  await expect(startChild({ name: "the child", file }, env)).rejects.toThrow(
    "the child exited (3) before it was ready: no database",
  );
});

test("a child ends with a launcher that exits without stopping it", async () => {
  const file = await writeProgram("process.send({}); setInterval(() => {}, 1000);");
  const launcher = `
    import { startChild } from ${JSON.stringify(import.meta.resolve("./child.ts"))};
    const { pid } = await startChild({ name: "child", file: new URL(process.argv[1]) }, {});
    process.stdout.write(String(pid), () => process.exit(1));`;
  const args = ["--input-type=module-typescript", "--eval", launcher, file.href];
  const { stdout } = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [pid] = (await once(stdout, "data")) as [Buffer];
  await expect.poll(() => isAlive(Number(pid)), { timeout: 10_000 }).toBe(false);
});
