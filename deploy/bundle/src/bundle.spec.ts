import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleGateway, bundleSimulator } from "./bundle.ts";

const maxBundleBytes = 32 * 1024 * 1024;
const secret = "a".repeat(32);

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-bundle-"));
  await bundleGateway(join(folder, "gateway"));
  await bundleSimulator(join(folder, "simulator"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Runs a file of the bundle without access to any package, with only the secrets and `env` as its
 * environment.
 */
async function run(file: string, args: readonly string[], env = {}) {
  const secrets = { TOLLGATE_FLEET_SECRET: secret, TOLLGATE_OPERATOR_SECRET: secret };
  const options = { cwd: join(folder, "gateway"), env: { ...secrets, ...env } };
  const child = promisify(execFile)(process.execPath, [file, ...args], options);
  return child.catch((error: { code: number; stderr: string }) => error);
}

/** Resolves with the code of a script, and of all that it imports as it starts, by file. */
async function loadedAtStart(
  parent: string,
  name: string,
  found = new Map<string, string>(),
): Promise<ReadonlyMap<string, string>> {
  const code = await readFile(join(parent, name), "utf8");
  found.set(name, code);
  for (const [, imported = ""] of code.matchAll(/(?:from|import)\s*"\.\/([\w.-]+)"/g)) {
    if (!found.has(imported)) await loadedAtStart(parent, imported, found);
  }
  return found;
}

describe("the gateway's bundle", () => {
  it.each([
    "ledger",
    "billing",
  ])("starts %s, which reports the missing variable", async (target) => {
    expect(await run("main.mjs", ["--target", target])).toMatchObject({
      code: 1,
      stderr: "tollgate: DATABASE_URL: is not set\n",
    });
  });

  it("opens its event log, and reads the simulator's catalog", async () => {
    const outcome = await run("main.mjs", ["--target", "chat"], {
      TOLLGATE_CATALOG: join(folder, "simulator/demo-catalog.yaml"),
      TOLLGATE_SIMULATOR_URL: "http://127.0.0.1:1/v1",
      TOLLGATE_SPOOL_DIR: join(folder, "spool"),
    });
    const error = expect.stringContaining("tollgate: DATABASE_URL: is not set\n");
    expect(outcome).toHaveProperty("stderr", error);
    expect(await readdir(join(folder, "spool/chat"))).not.toEqual([]);
  });

  it("contains the trace exporter", async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };
    const outcome = await run("main.mjs", ["--target", "ledger"], env);
    expect(outcome).toHaveProperty("stderr", "tollgate: DATABASE_URL: is not set\n");
  });

  it("contains the operator's CLI", async () => {
    const outcome = await run("cli.mjs", ["--help"]);
    expect(outcome).toHaveProperty("stdout", expect.stringContaining("account create"));
  });

  it("contains the list prices of models, which no service loads as it starts", async () => {
    const suggested = await run("cli.mjs", ["catalog", "suggest", "openai/gpt-5"]);
    const { stdout } = suggested as { stdout: string };
    const cheaper = stdout.replace(/input: "[\d.]+"/, 'input: "0.01"');
    for (const [models, warning] of [
      [stdout, ""],
      [cheaper, "is below the list price"],
    ]) {
      const file = join(folder, "catalog.yaml");
      const provider = 'providers: { openai: { base_url: "https://api.openai.com/v1" } }';
      await writeFile(file, `${provider}\nmodels:\n${models}`);
      const checked = await run("cli.mjs", ["catalog", "check", file]);
      expect(checked).toHaveProperty("stdout", expect.stringContaining("1 models, valid"));
      expect(checked).toHaveProperty("stdout", expect.stringContaining(warning ?? ""));
      expect("code" in checked).toBe(false);
    }
    const gateway = await loadedAtStart(join(folder, "gateway"), "main.mjs");
    expect(gateway.size).toBeGreaterThan(1);
    for (const code of gateway.values()) expect(code).not.toContain("api_pattern");
  });

  it("contains every service's migrations, and the ledger's functions", async () => {
    const services = join(folder, "gateway/services");
    const withDatabase = ["billing", "chat", "document", "edge", "ledger"];
    expect((await readdir(services)).sort()).toEqual(["console", ...withDatabase].sort());
    for (const service of withDatabase) {
      const migrations = join(services, service, "prisma/migrations");
      expect(await readdir(migrations)).toContain("0001_initial");
    }
    const [bundled, sources] = await Promise.all(
      [
        join(services, "ledger/sql"),
        fileURLToPath(new URL("../../../services/ledger/sql", import.meta.url)),
      ].map((sql) => readdir(sql, { recursive: true })),
    );
    expect(bundled).toContain("holds/take_holds.sql");
    expect(bundled?.sort()).toEqual(sources?.sort());
  });

  it("contains the files of the API reference, and reads them from beside the bundle", async () => {
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

  it("contains the built page of the console, without the data of its tests", async () => {
    const page = join(folder, "gateway/services/console/web/dist");
    const html = await readFile(join(page, "index.html"), "utf8");
    const [script = ""] = html.match(/assets\/index-[\w-]+\.js/) ?? [];
    expect((await stat(join(page, script))).size).toBeGreaterThan(0);
    expect(await readdir(page)).not.toContain(".vite");
    const files = await readdir(join(page, "assets"));
    const scripts = files.filter((file) => file.endsWith(".js"));
    const code = await Promise.all(
      scripts.map((file) => readFile(join(page, "assets", file), "utf8")),
    );
    expect(code.join("")).not.toContain("fixture-role");
  });

  it("contains Prisma's query compiler as a file, which its module reads", async () => {
    const name = "query_compiler_small_bg.postgresql.wasm";
    const file = join(folder, "gateway", `${name}-base64.mjs`);
    expect((await stat(file)).size).toBeLessThan(1_000);
    const { wasm } = (await import(pathToFileURL(file).href)) as { wasm: string };
    const bytes = Buffer.from(wasm, "base64");
    expect(bytes.subarray(0, 4).toString("latin1")).toBe("\0asm");
    expect(bytes.equals(await readFile(join(folder, "gateway", name)))).toBe(true);
    // Prisma's client does the same with it.
    const client = new URL(
      "../../../services/ledger/src/generated/internal/class.ts",
      import.meta.url,
    );
    expect(await readFile(client, "utf8")).toContain("Buffer.from(wasmBase64, 'base64')");
  });

  it("contains no specs and no packages", async () => {
    const files = await readdir(folder, { recursive: true });
    expect(files.filter((file) => /node_modules|\.spec\.|\.ts$/.test(file))).toEqual([]);
    const sizes = await Promise.all(
      files.map(async (file) => (await stat(join(folder, file))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(maxBundleBytes);
  });
});
