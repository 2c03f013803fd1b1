import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleGateway, bundleSimulator } from "./bundle.ts";

const maxBundleBytes = 32 * 1024 * 1024;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-bundle-"));
  await bundleGateway(join(folder, "gateway"));
  await bundleSimulator(join(folder, "simulator"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a file of the bundle where no package can be found, with nothing in its environment. */
async function run(file: string, args: readonly string[], env = {}) {
  const cwd = join(folder, "gateway");
  const child = promisify(execFile)(process.execPath, [file, ...args], { cwd, env });
  return child.catch((error: { code: number; stderr: string }) => error);
}

describe("the gateway's bundle", () => {
  it.each(["ledger", "billing"])("starts %s as far as its environment lets it", async (target) => {
    expect(await run("main.mjs", ["--target", target])).toMatchObject({
      code: 1,
      stderr: "tollgate: DATABASE_URL: is not set\n",
    });
  });

  it("opens the spool with its native part, and reads the simulator's catalog", async () => {
    const answer = await run("main.mjs", ["--target", "chat"], {
      TOLLGATE_CATALOG: join(folder, "simulator/demo-catalog.yaml"),
      TOLLGATE_SIMULATOR_URL: "http://127.0.0.1:1/v1",
      TOLLGATE_SPOOL_DIR: join(folder, "spool"),
    });
    expect(answer).toHaveProperty("stderr", "tollgate: DATABASE_URL: is not set\n");
    expect(await readdir(join(folder, "spool/chat"))).not.toEqual([]);
  });

  it("brings what sends traces", async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };
    const answer = await run("main.mjs", ["--target", "ledger"], env);
    expect(answer).toHaveProperty("stderr", "tollgate: DATABASE_URL: is not set\n");
  });

  it("brings the operator's commands", async () => {
    const answer = await run("cli.mjs", ["--help"]);
    expect(answer).toHaveProperty("stdout", expect.stringContaining("account create"));
  });

  it("brings every service's migrations", async () => {
    const services = await readdir(join(folder, "gateway/services"));
    expect(services.sort()).toEqual(["billing", "chat", "document", "edge", "ledger"]);
  });

  it("brings the files of the API reference, and reads them from beside the bundle", async () => {
    const scalar = "services/edge/src/routes/docs/scalar";
    const files = await readdir(join(folder, "gateway", scalar), { recursive: true });
    expect(files).toContain("standalone.esm.js");
    expect(files.filter((file) => file.startsWith("chunks/")).length).toBeGreaterThan(10);
    expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
    const scripts = (await readdir(join(folder, "gateway"))).filter((file) => /\.mjs$/.test(file));
    const code = await Promise.all(
      scripts.map((file) => readFile(join(folder, "gateway", file), "utf8")),
    );
    expect(code.join("")).toMatch(
      /new URL\("scalar\/", new URL\("services\/edge\/src\/routes\/docs\//,
    );
    expect(code.join("")).not.toContain('resolve("@scalar');
  });

  it("holds no specs and no packages", async () => {
    const files = await readdir(folder, { recursive: true });
    expect(files.filter((file) => /node_modules|\.spec\.|\.ts$/.test(file))).toEqual([]);
    const sizes = await Promise.all(
      files.map(async (file) => (await stat(join(folder, file))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(maxBundleBytes);
  });
});
