import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createDatabase } from "@tollgate/local/postgres";
import { exampleCredentials } from "@tollgate/simulator/converse/authorization";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { testCatalog } from "../src/catalog/catalog.ts";
import { bundleCache, gatewayProgram } from "../src/programs.ts";
import { chatBody, send } from "../src/request.ts";
import { startStack } from "../src/stack.ts";

const main = fileURLToPath(gatewayProgram);

describe("a program that cannot start prints one line with the reason and exits with 1", () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let blocker: Server;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tollgate-start-"));
    blocker = createServer().listen(0, "0.0.0.0");
    await once(blocker, "listening");
    await writeFile(join(folder, "good.yaml"), testCatalog("http://127.0.0.1:9"));
    env = {
      PATH: process.env.PATH,
      ...bundleCache,
      PORT: "0",
      DATABASE_URL: await createDatabase(inject("postgresUrl"), "start"),
      TOLLGATE_CATALOG: join(folder, "good.yaml"),
      TOLLGATE_LISTEN: "127.0.0.1:0",
      TOLLGATE_HTTP_LISTEN: "127.0.0.1:0",
      TOLLGATE_OPERATIONS_LISTEN: "127.0.0.1:0",
      TOLLGATE_CONSOLE_LISTEN: "127.0.0.1:0",
      TOLLGATE_LOG: "silent",
      TEST_PROVIDER_KEY: "x",
      TEST_SECOND_KEY: "x",
      ...exampleCredentials,
    };
  });

  afterAll(async () => {
    blocker.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(changes: NodeJS.ProcessEnv, args = ["--target", "all"]) {
    const child = spawn(process.execPath, [main, ...args], { env: { ...env, ...changes } });
    let said = "";
    child.stderr.on("data", (part) => {
      said += part;
    });
    const [code] = (await once(child, "exit")) as [number];
    return { code, lines: said.trim().split("\n") };
  }

  async function expectRefusal(outcome: ReturnType<typeof run>, words: RegExp): Promise<void> {
    const { code, lines } = await outcome;
    expect(lines).toEqual([expect.stringMatching(words)]);
    expect(code).toBe(1);
  }

  test("a port that is taken", async () => {
    const { port } = blocker.address() as { port: number };
    await expectRefusal(run({ PORT: String(port) }), /^tollgate: port \d+ is taken/);
  });

  test("a port of the console that is taken", async () => {
    const { port } = blocker.address() as { port: number };
    const outcome = run({ TOLLGATE_CONSOLE_LISTEN: `0.0.0.0:${port}` });
    await expectRefusal(outcome, /^tollgate: TOLLGATE_CONSOLE_LISTEN \S+: the address is taken/);
  });

  test("an invalid port", async () => {
    await expectRefusal(run({ PORT: "eighty" }), /^tollgate: PORT: must be a whole number/);
  });

  test("a database that does not exist, without its password in the line", async () => {
    const url = new URL(inject("postgresUrl"));
    Object.assign(url, { password: "hunter2", pathname: "/none" });
    const outcome = run({ DATABASE_URL: url.href }, ["--target", "ledger"]);
    await expectRefusal(outcome, /^tollgate: database 127\.0\.0\.1:\d+\/none cannot be used/);
    expect((await outcome).lines.join()).not.toContain("hunter2");
  });

  test("no database at all", async () => {
    await expectRefusal(
      run({ DATABASE_URL: "" }, ["--target", "billing"]),
      /DATABASE_URL: is not set/,
    );
  });

  test.each([
    ["is missing", undefined, /none\.yaml: cannot be read/],
    ["is not YAML", "models: [", /^tollgate: catalog .*bad\.yaml: /],
    ["is invalid, by the path of the error", "providers: {}\nmodels: [{alias: 5}]", /models\[0\]/],
  ])("a catalog that %s", async (_, text, words) => {
    const file = join(folder, text === undefined ? "none.yaml" : "bad.yaml");
    if (text !== undefined) await writeFile(file, text);
    await expectRefusal(run({ TOLLGATE_CATALOG: file }), words);
  });

  test("a provider's key that is not in the environment", async () => {
    const outcome = run({ TEST_PROVIDER_KEY: "" }, ["--target", "chat"]);
    await expectRefusal(outcome, /providers\.[a-z]+\.api_key_env: .*TEST_PROVIDER_KEY is not set/);
  });

  test("an AWS variable that is not in the environment", async () => {
    const outcome = run({ AWS_SECRET_ACCESS_KEY: "" }, ["--target", "chat"]);
    await expectRefusal(outcome, /providers\.bedrock: .*AWS_SECRET_ACCESS_KEY is not set, nor is/);
  });

  test("tables that are not migrated, with migration turned off", async () => {
    const url = await createDatabase(inject("postgresUrl"), "migrate");
    const changes = { DATABASE_URL: url, TOLLGATE_MIGRATE: "off" };
    const ledger = ["--target", "ledger"];
    await expectRefusal(
      run(changes, ledger),
      /^tollgate: migration ledger\/0001_\w+ is not applied: run --target migrate/,
    );
    for (const time of ["first", "second"]) {
      expect([time, await run({ DATABASE_URL: url }, ["--target", "migrate"])]).toEqual([
        time,
        { code: 0, lines: [""] },
      ]);
    }
    // It accepts its tables now, and stops at its address.
    const { port } = blocker.address() as { port: number };
    const taken = { ...changes, TOLLGATE_LISTEN: `127.0.0.1:${port}` };
    await expectRefusal(run(taken, ledger), /^tollgate: cannot listen for gRPC/);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const newest = "SELECT max(migration_name) FROM ledger._prisma_migrations";
    await client.query(`DELETE FROM ledger._prisma_migrations WHERE migration_name = (${newest})`);
    await client.end();
    await expectRefusal(run(changes, ledger), /is not applied/);
  });

  test("an operations port that is taken", async () => {
    const { port } = blocker.address() as { port: number };
    const changes = { TOLLGATE_OPERATIONS_LISTEN: `127.0.0.1:${port}` };
    await expectRefusal(run(changes), /^tollgate: TOLLGATE_OPERATIONS_LISTEN 127/);
  });

  test.each([
    ["TOLLGATE_OPERATIONS_LISTEN", "9090", "all"],
    ["TOLLGATE_OPERATIONS_LISTEN", "127.0.0.1:99999", "all"],
    ["TOLLGATE_HTTP_LISTEN", "nine", "image"],
    ["TOLLGATE_AUDIO_HTTP_ADDRESS", "audio:9091,audio", "edge"],
  ])("%s as %s, which is not an address", async (variable, address, one) => {
    const outcome = run({ [variable]: address }, ["--target", one]);
    await expectRefusal(outcome, new RegExp(`^tollgate: ${variable}: .* is not an address`));
  });

  test("an empty secret, which would trust every caller", async () => {
    const outcome = run({ TOLLGATE_FLEET_SECRET: "" });
    await expectRefusal(outcome, /^tollgate: TOLLGATE_FLEET_SECRET: is empty/);
  });

  test.each([
    ["TOLLGATE_LISTEN", "billing"],
    ["TOLLGATE_HTTP_LISTEN", "audio"],
  ])("%s that other machines can reach, without a secret", async (variable, target) => {
    const outcome = run({ [variable]: "0.0.0.0:0" }, ["--target", target]);
    await expectRefusal(outcome, new RegExp(`^tollgate: ${variable}: .* needs TOLLGATE_FLEET`));
  });

  test("a target that does not exist", async () => {
    await expectRefusal(
      run({}, ["--target", "bakery"]),
      /--target bakery: must be one of all, ledger/,
    );
  });
});

test("a service whose launcher dies while it starts exits without a word", async () => {
  const child = spawn(process.execPath, [main, "--target", "image"], {
    env: {
      PATH: process.env.PATH,
      ...bundleCache,
      TOLLGATE_CATALOG: "none.yaml",
      TOLLGATE_FLEET_SECRET: "secret",
    },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const said = text(child.stderr as Readable);
  const exited = once(child, "exit");
  child.disconnect();
  expect(await exited).toEqual([1, null]);
  expect(await said).toBe("");
});

test("a gateway that starts on an empty database creates its tables", async () => {
  const url = await createDatabase(inject("postgresUrl"), "empty");
  const stack = await startStack({ DATABASE_URL: url });
  const { key } = await stack.newAccount(1);
  const response = await send(`${stack.url}/v1/chat/completions`, { key, body: chatBody() });
  expect(response.status).toBe(200);
  await stack.stop();
});
