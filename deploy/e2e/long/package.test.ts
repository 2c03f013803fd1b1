import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@tollgate/local/free-port";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { chatBody } from "../src/request.ts";

const run = promisify(execFile);
const pack = fileURLToPath(import.meta.resolve("@tollgate/bundle/pack"));
/** Postgres of the package is an optional dependency, and not in this number. */
const maxPackedBytes = 60 * 1024 * 1024;
const startTimeoutMs = 100_000;
/** Root runs the package as another user, "nobody" on most systems. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

describe.skipIf(process.platform === "win32")("the npm package", { timeout: 180_000 }, () => {
  let folder: string;
  let archive: string;
  const started: ChildProcess[] = [];
  const own = () => ({ ...user, cwd: join(folder, "empty"), env: environment() });
  /** The command as npm links it. It finds the machine's Node, which may be too old, on the PATH. */
  const command = () => join(folder, "empty/node_modules/.bin/tollgate");

  function environment(): NodeJS.ProcessEnv {
    const { PATH } = process.env;
    return { PATH, HOME: join(folder, "home"), HOST: "127.0.0.1", TOLLGATE_LOG: "silent" };
  }

  /** Starts the package's gateway. Resolves with its process and its URL once it is ready. */
  async function start(...args: string[]) {
    let output = "";
    const ports = { PORT: String(await freePort()), TOLLGATE_CONSOLE_LISTEN: "127.0.0.1:0" };
    const options = { ...own(), env: { ...environment(), ...ports } };
    const child = spawn(command(), args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    started.push(child);
    child.stdout.on("data", (part: Buffer) => (output += part));
    child.stderr.on("data", (part: Buffer) => (output += part));
    const exited = once(child, "exit").then(([code]) => {
      throw new Error(`the package exited (${code}): ${output}`);
    });
    exited.catch(() => {});
    const listening = eventually(() => expect(output).toContain("Press Ctrl-C"), {
      timeout: startTimeoutMs,
    });
    await Promise.race([listening, exited]);
    return { child, url: /listens at (\S+)\/v1/.exec(output)?.[1] ?? "", output };
  }

  async function demoKey(data: string): Promise<string> {
    const welcome = await readFile(join(data, "welcome.txt"), "utf8");
    return /sk-tollgate-[\w-]+/.exec(welcome)?.[0] ?? "";
  }

  function complete(url: string, key: string): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify(chatBody({ model: "demo-small" }));
    return fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tollgate-package-test-"));
    await chmod(folder, 0o755);
    const { stdout } = await run(process.execPath, [pack, join(folder, "packed")]);
    archive = stdout.trim();
    for (const name of ["empty", "home"]) {
      await mkdir(join(folder, name));
      if (user.uid !== undefined) await chown(join(folder, name), user.uid, user.gid);
    }
    // Installed as the user of this process, who has access to the registry.
    const install = ["install", archive, "--no-audit", "--no-fund"];
    await run("npm", install, { cwd: join(folder, "empty") });
  }, 300_000);

  afterAll(async () => {
    for (const child of started) child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });

  test("is smaller than 60 MB, and contains no sources, specs or packages", async () => {
    expect((await stat(archive)).size).toBeLessThan(maxPackedBytes);
    const files = await readdir(join(folder, "empty/node_modules/tollgate"), { recursive: true });
    expect(files).toContain("programs/services/console/web/dist/index.html");
    expect(files.filter((file) => /node_modules|\.spec\.|\.ts$/.test(file))).toEqual([]);
  });

  test("runs the gateway with its data in ~/.tollgate, and the command on it", async () => {
    const { child, url } = await start();
    const data = join(folder, "home/.tollgate");
    const response = await complete(url, await demoKey(data));
    expect(response.status).toBe(200);
    const page = await fetch(`${url}/docs`);
    expect(await page.text()).toContain("<html");
    const verified = await run(command(), ["ledger", "verify"], own());
    expect(verified.stdout).toContain("no discrepancies");
    const { stdout: version } = await run(command(), ["--version"], own());
    expect(basename(archive)).toBe(`tollgate-${version.trim()}.tgz`);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    await expect(fetch(`${url}/v1/health`)).rejects.toThrow();
    const text = await readFile(join(data, "postgres.log"), "utf8");
    expect(text).toContain("database system is shut down");
  });

  test.skipIf(inject("form") === "short")(
    "runs a fleet, with the data in another folder",
    async () => {
      const data = join(folder, "home/elsewhere");
      const { child, url } = await start("fleet", "--data", data);
      const response = await complete(url, await demoKey(data));
      expect(response.status).toBe(200);
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([0, null]);
    },
  );
});
