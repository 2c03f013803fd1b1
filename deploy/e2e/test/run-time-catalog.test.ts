import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { readMetrics } from "../src/process-metrics.ts";
import { chatBody, eventsOf, requestIdOf, send, simulate } from "../src/request.ts";
import {
  chatServices,
  type OwnStack,
  startStack,
  type TestAccount,
  testSecrets,
} from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const alertsFile = new URL("../../../charts/tollgate/files/alerts.yaml", import.meta.url);

describe("a catalog in the database", () => {
  let stack: OwnStack;
  let account: TestAccount;
  let folder: string;

  beforeAll(async () => {
    stack = await startStack({ TOLLGATE_CATALOG: "" }, { services: chatServices });
    account = await stack.newAccount(5);
    folder = await mkdtemp(join(tmpdir(), "tollgate-revisions-"));
  });

  afterAll(async () => {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const tollgate = (...args: string[]) => runTollgate(stack.operatorAddress, testSecrets, args);
  const newAlias = () => `chat-${randomUUID()}`;

  /** Returns a catalog of chat models, whose provider needs a variable. */
  function catalogOf(
    aliases: readonly string[],
    { variable = "TEST_PROVIDER_KEY", output = "2" } = {},
  ): string {
    return JSON.stringify({
      providers: { sim: { base_url: `${stack.simulator.url}/v1`, api_key_env: variable } },
      models: aliases.map((alias) => ({
        alias,
        route_type: "chat",
        context_tokens: 1_000,
        max_output_tokens: 100,
        pricing: { input: "1", output },
        chain: [{ provider: "sim", model: "sim-small" }],
      })),
    });
  }

  async function fileOf(text: string): Promise<string> {
    const file = join(folder, `${randomUUID()}.yaml`);
    await writeFile(file, text);
    return file;
  }

  async function listed(): Promise<string[]> {
    const { body } = await send(`${stack.url}/v1/models`, {});
    return (body as { data: { id: string }[] }).data.map(({ id }) => id);
  }

  /** Publishes models by the API. Resolves with their revision. */
  async function publish(...aliases: string[]): Promise<bigint> {
    return publishText(catalogOf(aliases));
  }

  async function publishText(text: string): Promise<bigint> {
    const { revision: baseRevision } = await stack.operator.getCatalogStatus({});
    const request = { text, baseRevision, reason: "a test" };
    const { publication } = await stack.operator.publishCatalog(request, { timeoutMs: 60_000 });
    if (publication?.result.case === "published") return baseRevision + 1n;
    throw new Error(`it was ${publication?.result.case}`);
  }

  const chat = (model: string) =>
    send(`${stack.url}/v1/chat/completions`, { key: account.key, body: chatBody({ model }) });

  test("is empty at first, and a file that is imported is served at once and exported as it is", async () => {
    const alias = newAlias();
    expect((await chat(alias)).status).toBe(404);
    const text = catalogOf([alias]);
    const file = await fileOf(text);
    const compared = await tollgate("catalog", "import", file);
    expect([compared.code, compared.stdout]).toEqual([0, expect.stringContaining(`+ ${text}`)]);
    expect(await listed()).not.toContain(alias);
    const imported = await tollgate("catalog", "import", file, "--publish");
    expect([imported.stderr, imported.stdout]).toEqual([
      "",
      expect.stringMatching(/^revision \d+: (\d+) of \1 processes\n/),
    ]);
    expect((await chat(alias)).status).toBe(200);
    await eventually(async () => expect(await listed()).toEqual([alias]));
    expect((await tollgate("catalog", "export")).stdout.trim()).toBe(text);
    const status = await tollgate("catalog", "status", "--json");
    expect(status.json()).toMatchObject({ source: "database", is_publishing: false });
  });

  test("is not published where a process has not the variable of a provider", async () => {
    const alias = newAlias();
    const file = await fileOf(catalogOf([alias], { variable: "UNSET_PROVIDER_KEY" }));
    const published = await tollgate("catalog", "publish", file, "--reason", "a new provider");
    expect(published.code).toBe(1);
    expect(published.stdout).toMatch(
      /^not published: .*\n(chat|all)@\S+: providers\.sim\.api_key_env: .*UNSET_PROVIDER_KEY is not set\n$/,
    );
    expect((await chat(alias)).status).toBe(404);
    expect(await listed()).not.toContain(alias);
  });

  test("is published without the processes that --without names, which keep what they have", async () => {
    const [kept, alias] = [newAlias(), newAlias()];
    const before = await publish(kept);
    const file = await fileOf(catalogOf([alias], { variable: "UNSET_PROVIDER_KEY" }));
    const refused = await tollgate("catalog", "import", file, "--publish", "--json");
    const { result, processes } = refused.json() as {
      result: string;
      processes: { name: string }[];
    };
    expect([refused.code, result]).toEqual([1, "unservable"]);
    const without = processes.flatMap(({ name }) => ["--without", name]);
    const published = await tollgate("catalog", "publish", file, ...without);
    expect([published.code, published.stderr]).toEqual([0, ""]);
    const lines = published.stdout.trim().split("\n");
    expect(lines[0]).toMatch(new RegExp(`^revision ${before + 1n}: \\d+ of \\d+ processes$`));
    expect(lines.slice(1).map((line) => line.split(" ")[0])).toEqual(
      processes.map(({ name }) => name),
    );
    expect(lines[1]).toContain(`serves revision ${before}; refuses the newest: `);
    expect((await chat(kept)).status).toBe(200);
    expect(await listed()).not.toContain(alias);
    const status = await tollgate("catalog", "status");
    expect(status.code).toBe(1);
    expect(status.stdout).toMatch(/refuses the newest: .*UNSET_PROVIDER_KEY is not set$/m);
    await publish(kept);
    expect((await tollgate("catalog", "status")).code).toBe(0);
  });

  test("is published under load without a lost request, and rolled back", async () => {
    const steady = newAlias();
    const first = await publish(steady);
    let isPublishing = true;
    const statuses: number[] = [];
    const load = Array.from({ length: 4 }, async () => {
      while (isPublishing) statuses.push((await chat(steady)).status);
    });
    await publish(steady, newAlias());
    const last = await publish(steady, newAlias(), newAlias());
    const back = await tollgate("catalog", "rollback", String(first), "--reason", "no");
    expect([back.code, back.stderr]).toEqual([0, ""]);
    isPublishing = false;
    await Promise.all(load);
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    await eventually(async () => expect(await listed()).toEqual([steady]));
    const { revisions } = await stack.operator.listCatalogRevisions({ limit: 1 });
    expect(revisions).toMatchObject([{ restoresRevision: first, reason: "no", models: 1 }]);
    const shown = await tollgate("catalog", "show", String(first));
    expect(shown.stdout).toMatch(new RegExp(`^# revision ${first} by .*: a test\\n`));
    expect(shown.stdout).toContain(steady);
    const diff = await tollgate("catalog", "diff", String(last));
    expect(diff.stdout).toMatch(/^- .*\n\+ /m);
  });

  test("a price that changes during a stream is not that of the stream", async () => {
    const alias = newAlias();
    await publish(alias);
    const usage = simulate("chunks=30&gap_ms=100&usage=1000,100");
    const body = { ...chatBody({ model: alias, stream: true, ...usage }) };
    const url = `${stack.url}/v1/chat/completions`;
    const streamed = send(url, { key: account.key, body });
    await eventually(async () => {
      const { holds } = await stack.operator.listHolds({ account: account.accountId });
      expect(holds).toHaveLength(1);
    });
    await publishText(catalogOf([alias], { output: "20" }));
    const { holds } = await stack.operator.listHolds({ account: account.accountId });
    expect(holds, "the stream has not ended").toHaveLength(1);
    const first = await streamed;
    expect(eventsOf(first.text).at(-1)).toBe("[DONE]");
    const next = await send(url, {
      key: account.key,
      body: chatBody({ model: alias, ...simulate("usage=1000,100") }),
    });
    const charged = (response: typeof first) =>
      eventually(async () => {
        const id = requestIdOf(response) ?? "";
        return (await stack.operator.getRequest({ id })).requests[0]?.chargedNanoUsd;
      });
    expect([await charged(first), await charged(next)]).toEqual([1_200_000n, 3_000_000n]);
  });

  test("a draft with an old base is refused with what has changed", async () => {
    const base = String((await stack.operator.getCatalogStatus({})).revision);
    const alias = newAlias();
    await publish(alias);
    const file = await fileOf(catalogOf([newAlias()]));
    const second = await tollgate("catalog", "publish", file, "--base", base);
    expect(second.code).toBe(1);
    expect(second.stdout).toMatch(/^not published: other revisions/);
    expect(second.stdout).toContain(alias);
  });
});

describe.runIf(inject("shape") === "fleet")("a catalog in a file that one process refuses", () => {
  let stack: OwnStack;

  beforeAll(async () => {
    stack = await startStack({}, { services: chatServices });
  });

  afterAll(async () => {
    await stack.stop();
  });

  async function refusing(): Promise<number> {
    const texts = await readMetrics(stack.operationsUrls);
    return texts.filter((text) => /^tollgate_catalog_refused 1$/m.test(text)).length;
  }

  async function refusedOnOverview(): Promise<readonly (string | undefined)[]> {
    const hourMs = 3_600_000;
    const start = Math.floor(Date.now() / hourMs) * hourMs;
    const period = { from: timestampFromMs(start), to: timestampFromMs(start + hourMs) };
    const { refusingProcesses } = await stack.operator.readOverview(period);
    return refusingProcesses.map(({ name, refusal }) => `${name}: ${refusal?.reason}`);
  }

  test("names it with its reason: on the overview, by the command, a metric and its alert", async () => {
    const before = await readFile(stack.catalogFile, "utf8");
    expect(await refusing()).toBe(0);
    const catalog = JSON.parse(before) as { providers: object; models: { alias: string }[] };
    const unset = { base_url: stack.simulator.url, api_key_env: "UNSET_PROVIDER_KEY" };
    const [first] = catalog.models;
    const model = { ...first, alias: "unset", chain: [{ provider: "unset", model: "m" }] };
    const providers = { ...catalog.providers, unset };
    const models = [...catalog.models, model];
    await writeFile(stack.catalogFile, JSON.stringify({ ...catalog, providers, models }));
    const soon = { timeout: 20_000, interval: 200 };
    const reason = /^chat@\S+: .*UNSET_PROVIDER_KEY is not set/;
    await eventually(async () => {
      expect(await refusedOnOverview()).toEqual([expect.stringMatching(reason)]);
    }, soon);
    expect(await refusing()).toBe(1);
    expect(await readFile(alertsFile, "utf8")).toContain(
      "expr: max by (namespace, pod) (tollgate_catalog_refused) == 1\n",
    );
    const args = ["catalog", "status"];
    const status = await runTollgate(stack.operatorAddress, testSecrets, args);
    expect(status.stdout).toMatch(/chat@\S+.*refuses the newest: .*UNSET_PROVIDER_KEY is not set/);
    await writeFile(stack.catalogFile, before);
    await eventually(async () => {
      expect([await refusedOnOverview(), await refusing()]).toEqual([[], 0]);
    }, soon);
  });
});
