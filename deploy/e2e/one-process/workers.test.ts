import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { startDemoProvider } from "@tollgate/local/demo-provider";
import { freePort, isPortFree } from "@tollgate/local/free-port";
import { connectOperator, type OperatorConnection } from "@tollgate/local/operator";
import { createDatabase } from "@tollgate/local/postgres";
import { startWorkers, type Workers, workerCount } from "@tollgate/local/workers";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { metricSum } from "../src/process-metrics.ts";
import { sourceCache } from "../src/programs.ts";
import { chatBody } from "../src/request.ts";

const demoCatalog = fileURLToPath(import.meta.resolve("@tollgate/simulator/demo-catalog.yaml"));
const credit = 1_000_000_000n;
/** A busy machine takes long to start a worker. */
const patient = { timeout: 60_000 };
/** A model whose only slot takes few requests. */
const limitedModel = `
  - alias: limited
    route_type: chat
    context_tokens: 32768
    max_output_tokens: 4096
    pricing: { input: "0.10", output: "0.40" }
    chain: [{ provider: simulator, model: sim-limited, requests_per_minute: 15 }]
`;

test("the number of workers is auto or a number", () => {
  expect(workerCount("3")).toBe(3);
  expect(workerCount("auto")).toBeGreaterThanOrEqual(1);
  for (const text of ["0", "-1", "1.5", "two", "", "257", "1e2"]) {
    expect(() => workerCount(text), text).toThrow(`--workers ${text}: must be auto or a number`);
  }
});

describe.runIf(process.platform === "linux")("two workers", () => {
  let folder: string;
  let workers: Workers;
  let operator: OperatorConnection;
  let provider: { url: string; stop(): Promise<void> };
  const operationsPorts: number[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tollgate-workers-"));
    provider = await startDemoProvider(process.env);
    const operationsPort = await freePorts(2);
    operationsPorts.push(operationsPort, operationsPort + 1);
    const operatorAddress = `127.0.0.1:${await freePort()}`;
    const catalog = join(folder, "catalog.yaml");
    await writeFile(catalog, `${await readFile(demoCatalog, "utf8")}${limitedModel}`);
    const env = {
      PATH: process.env.PATH,
      ...sourceCache,
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: await createDatabase(
        inject("postgresUrl"),
        `workers_${randomBytes(8).toString("hex")}`,
      ),
      TOLLGATE_CATALOG: catalog,
      TOLLGATE_SIMULATOR_URL: `${provider.url}/v1`,
      TOLLGATE_SPOOL_DIR: join(folder, "spool"),
      TOLLGATE_LOG: "silent",
      TOLLGATE_CONSOLE_LISTEN: "",
      TOLLGATE_OPERATIONS_LISTEN: `127.0.0.1:${operationsPort}`,
    };
    workers = await startWorkers(env, { count: 2, operatorAddress });
    operator = connectOperator(operatorAddress);
  });

  afterAll(async () => {
    operator?.close();
    await workers?.stop();
    await provider?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function newKey(limits: { requestsPerMinute?: number } = {}) {
    const account = randomBytes(8).toString("hex");
    await operator.client.createAccount({ name: account, creditNanoUsd: credit });
    return { account, ...(await operator.client.createKey({ account, limits })) };
  }

  /** Sends a request on a connection of its own: the kernel picks the worker. Rejects when cut. */
  async function chat(
    key: string,
    model = "demo-small",
  ): Promise<{ status: number; requestId: string }> {
    const sent = request(`${workers.url}/v1/chat/completions`, {
      method: "POST",
      agent: false,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    sent.end(JSON.stringify(chatBody({ model })));
    return new Promise((resolve, reject) => {
      sent.once("error", reject);
      sent.once("response", (response) => {
        const { statusCode: status = 0, headers } = response;
        const read = { status, requestId: String(headers["x-request-id"]) };
        text(response).then(() => resolve(read), reject);
      });
    });
  }

  const chats = (key: string, count: number, model?: string) =>
    Promise.all(Array.from({ length: count }, () => chat(key, model)));

  const requestsOf = (port: number) =>
    metricSum([`http://127.0.0.1:${port}`], "tollgate_requests_total");

  test("share one port, and each has its metrics", async () => {
    const { key } = await newKey();
    const before = await Promise.all(operationsPorts.map(requestsOf));
    await eventually(async () => {
      expect(new Set((await chats(key, 20)).map(({ status }) => status))).toEqual(new Set([200]));
      const after = await Promise.all(operationsPorts.map(requestsOf));
      for (const [index, count] of after.entries()) {
        expect(count).toBeGreaterThan(before[index] as number);
      }
    });
  });

  test("admit as many requests of a limited key together as one", async () => {
    const { key } = await newKey({ requestsPerMinute: 15 });
    const statuses = (await chats(key, 40)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(15);
    expect(statuses.filter((status) => status === 429)).toHaveLength(25);
  });

  test("send a slot as many requests a minute together as one", async () => {
    const { key } = await newKey();
    const statuses = (await chats(key, 40, "limited")).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(15);
    expect(statuses.filter((status) => status === 503)).toHaveLength(25);
  });

  test("both refuse a key that was revoked", async () => {
    const { key, keyId } = await newKey();
    expect(new Set((await chats(key, 20)).map(({ status }) => status))).toEqual(new Set([200]));
    await operator.client.revokeKey({ keyId });
    await eventually(async () => {
      const statuses = (await chats(key, 20)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([403]));
    });
  });

  test("a worker that is killed is replaced, and loses no charge of a response", async () => {
    const { key, account } = await newKey();
    const served = new Set<string>();
    const pids = workers.pids();
    let isDone = false;
    const client = async () => {
      while (!isDone) {
        const response = await chat(key).catch(() => undefined);
        if (response?.status === 200) served.add(response.requestId);
      }
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    for (const pid of pids) {
      const before = served.size;
      await eventually(() => expect(served.size).toBeGreaterThan(before + 50), patient);
      process.kill(pid, "SIGKILL");
      await eventually(() => expect(workers.pids()).not.toContain(pid), patient);
      await eventually(async () => {
        for (const port of operationsPorts) await requestsOf(port);
      }, patient);
    }
    const before = served.size;
    await eventually(() => expect(served.size).toBeGreaterThan(before + 50), patient);
    isDone = true;
    await clients;
    await eventually(async () => {
      const entries = await entriesOf(account);
      const charged = new Set(entries.map(({ requestId }) => requestId));
      expect([...served].filter((requestId) => !charged.has(requestId))).toEqual([]);
      const { result } = await operator.client.verifyLedger({});
      expect(result).toMatchObject({ discrepancies: [] });
    }, patient);
  }, 300_000);

  async function entriesOf(account: string) {
    const all = [];
    for (let beforeEntryId = ""; ; ) {
      const page = await operator.client.listLedger({ account, limit: 1_000, beforeEntryId });
      all.push(...page.entries);
      const last = page.entries.at(-1);
      if (page.entries.length < 1_000 || last === undefined) return all;
      beforeEntryId = last.id;
    }
  }

  test("a port that another program uses is not shared", async () => {
    const port = new URL(workers.url).port;
    const started = startWorkers(
      { HOST: "127.0.0.1", PORT: port },
      { count: 2, operatorAddress: "" },
    );
    await expect(started).rejects.toThrow(`port ${port} is taken`);
  });
});

/** Returns the first of `count` free ports in a row. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = await freePort();
    const others = Array.from({ length: count - 1 }, (_, index) => first + 1 + index);
    const isFree = await Promise.all(others.map((port) => isPortFree(port, "127.0.0.1")));
    if (isFree.every(Boolean)) return first;
  }
}
