import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Code } from "@connectrpc/connect";
import { freePort } from "@tollgate/local/free-port";
import { createDatabase } from "@tollgate/local/postgres";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import { serviceNames } from "@tollgate/runtime/service";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { codeOf, connectConsole } from "../src/console-client.ts";
import { eventually } from "../src/eventually.ts";
import { sourceCache } from "../src/programs.ts";
import { chatBody, send } from "../src/request.ts";

const launcher = fileURLToPath(import.meta.resolve("@tollgate/local/start"));
const command = fileURLToPath(import.meta.resolve("@tollgate/cli/main"));
const demoCatalog = fileURLToPath(import.meta.resolve("@tollgate/simulator/demo-catalog.yaml"));
const startTimeoutMs = 60_000;

describe("npm run fleet", () => {
  let folder: string;
  let fleet: ChildProcess;
  let output = "";
  const url = () => /listens at (\S+)\/v1/.exec(output)?.[1] ?? "";
  /** Reads the text with the secrets, which is not printed without a terminal. */
  const welcome = () => readFileSync(join(folder, ".data/welcome.txt"), "utf8");
  const env = { PATH: process.env.PATH, ...sourceCache };

  /** Runs the `tollgate` command in the gateway's folder, without any variable of Tollgate. */
  async function tollgate(...args: string[]) {
    const options = { cwd: folder, env };
    return promisify(execFile)(process.execPath, [command, ...args], options).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error) => error as { code: number; stdout: string; stderr: string },
    );
  }

  /** Lists the processes of the services. */
  async function services(): Promise<{ name: string; pid: number }[]> {
    const args = ["--ppid", String(fleet.pid), "-o", "pid=,args="];
    const { stdout } = await promisify(execFile)("ps", args);
    return [...stdout.matchAll(/^ *(\d+) .*--target (\w+)/gm)].map(([, pid, name]) => ({
      name: name as string,
      pid: Number(pid),
    }));
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tollgate-launcher-"));
    fleet = spawn(process.execPath, [launcher, "--fleet"], {
      cwd: folder,
      env: {
        ...env,
        HOST: "127.0.0.1",
        PORT: String(await freePort()),
        DATABASE_URL: await createDatabase(
          inject("postgresUrl"),
          `launcher_${randomBytes(8).toString("hex")}`,
        ),
        TOLLGATE_LOG: "silent",
        TOLLGATE_CONSOLE_LISTEN: `127.0.0.1:${await freePort()}`,
        SOME_API_KEY: "secret-of-a-provider",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    fleet.stdout?.on("data", (part: Buffer) => {
      output += part.toString();
    });
    const started = eventually(() => expect(output).toContain("Press Ctrl-C"), {
      timeout: startTimeoutMs,
    });
    const exited = once(fleet, "exit").then(([code]) => {
      throw new Error(`the launcher exited (${code}): ${output}`);
    });
    exited.catch(() => {});
    await Promise.race([started, exited]);
  }, startTimeoutMs);

  afterAll(async () => {
    if (fleet.exitCode === null && fleet.signalCode === null) {
      fleet.kill("SIGTERM");
      await once(fleet, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  }, startTimeoutMs);

  test("prints no key and no link where nobody but its owner should read them", () => {
    expect(output).toContain(`Key and sign-in link: ${join(folder, ".data/welcome.txt")}`);
    expect(output).not.toMatch(/sk-tollgate-|sign-in#/);
  });

  test("prints an address, and stores a demo key that works, as npm start does", async () => {
    const [, key] = /^API key: (\S+)/m.exec(welcome()) ?? [];
    expect(output).toMatch(/^\nTollgate listens at http/);
    const body = chatBody({ model: "demo-small" });
    expect((await send(`${url()}/v1/chat/completions`, { key, body })).status).toBe(200);
  });

  test("publishes the demo catalog as revision 1 of the database, without a catalog file", async () => {
    const list = await tollgate("catalog", "list", "--json");
    expect(JSON.parse(list.stdout)).toMatchObject({
      revisions: [{ revision: 1, reason: "The demo catalog", restores_revision: null }],
      has_more: false,
    });
    const status = await tollgate("catalog", "status", "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ source: "database", revision: 1 });
    const exported = await tollgate("catalog", "export");
    expect(exported.stdout).toBe(readFileSync(demoCatalog, "utf8"));
  });

  test("stores a link that signs the owner in to the console, once", async () => {
    const [, origin = "", secret = ""] = /^Console: (\S+)\/sign-in#(\S+)/m.exec(welcome()) ?? [];
    const { console } = connectConsole(origin);
    const signIn = () => console.signIn({ method: { case: "linkSecret", value: secret } });
    const { operator } = await signIn();
    expect(operator).toMatchObject({ name: "owner", role: OperatorRole.OWNER });
    expect(await codeOf(signIn())).toBe(Code.Unauthenticated);
  });

  test("is found by the tollgate command without a variable", async () => {
    const account = await tollgate("account", "create", "acme", "--credit", "1");
    expect([account.code, account.stderr]).toEqual([0, ""]);
    const { stdout } = await tollgate("key", "create", "acme", "--json");
    const { key } = JSON.parse(stdout) as { key: string };
    expect((await send(`${url()}/v1/credits`, { key })).body).toMatchObject({ balance: 1 });
  });

  test("is where a sign-in link of the tollgate command leads, also on another port", async () => {
    const [, started = ""] = /^Console: (\S+)\/sign-in#/m.exec(welcome()) ?? [];
    expect(new URL(started).port).not.toBe("8081");
    const { stdout } = await tollgate("operator", "link", "--json");
    const [origin = "", secret = ""] = (JSON.parse(stdout) as { link: string }).link.split(
      "/sign-in#",
    );
    expect(origin).toBe(started);
    const { console } = connectConsole(origin);
    const { operator } = await console.signIn({ method: { case: "linkSecret", value: secret } });
    expect(operator).toMatchObject({ name: "owner" });
  });

  test("lets no other user connect to billing, or read its secret", async () => {
    const operator = join(folder, ".data", "operator");
    const mode = async (path: string) => (await stat(path)).mode & 0o777;
    expect(await mode(operator)).toBe(0o700);
    for (const name of ["tollgate.sock", "secret", "console-url"]) {
      expect([name, await mode(join(operator, name))]).toEqual([name, 0o600]);
    }
  });

  test.runIf(process.platform === "linux")(
    "gives a provider's key only to the services that call providers",
    async () => {
      const receivers = (await services()).map(({ name, pid }) => {
        const variables = readFileSync(`/proc/${pid}/environ`, "utf8");
        return [name, variables.includes("secret-of-a-provider")];
      });
      const callers = ["chat", "document", "image", "audio"];
      expect(Object.fromEntries(receivers)).toEqual(
        Object.fromEntries(serviceNames.map((name) => [name, callers.includes(name)])),
      );
    },
  );

  test("that was killed leaves a clear error of the tollgate command", async () => {
    fleet.kill("SIGKILL");
    await once(fleet, "exit");
    await eventually(async () => {
      const { code, stderr } = await tollgate("ledger", "verify");
      expect(stderr).toMatch(
        /^tollgate: no gateway is running with the data folder \S+\.data: start one, or set TOLLGATE_DATA_DIR/,
      );
      expect(code).toBe(1);
    });
  });
});
