import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { testCatalog } from "../src/catalog/catalog.ts";
import { connectConsole } from "../src/console-client.ts";
import { eventually } from "../src/eventually.ts";
import { canReadMemory, memoryHas } from "../src/process-memory.ts";
import { readMetrics } from "../src/process-metrics.ts";
import { chatBody, requestIdOf, send } from "../src/request.ts";
import { chatServices, type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

const hourMs = 3_600_000;
/** What is promised for a key that was changed. */
const promised = { timeout: 2_000, interval: 50 };
/** For what is promised no time; the machine may be busy. */
const soon = { timeout: 15_000, interval: 100 };

describe("a stored key of a provider", () => {
  let stack: OwnStack;
  let account: TestAccount;
  let log = "";

  beforeAll(async () => {
    vi.spyOn(process.stderr, "write").mockImplementation((part) => {
      log += part.toString();
      return true;
    });
    const services = [...chatServices, "console"] as const;
    stack = await startStack({ TOLLGATE_LOG: "debug" }, { services });
    account = await stack.newAccount(5);
  });

  afterAll(async () => {
    await stack.stop();
    vi.restoreAllMocks();
  });

  /**
   * Adds a model to the catalog whose provider has a stored key of the same name. By default, the name is that of
   * its reply, too.
   */
  async function newModel({ provider = {}, model = {}, upstreamModel = "" } = {}) {
    const name = `key-${randomUUID()}`;
    const catalog = JSON.parse(testCatalog(stack.simulator.url)) as Catalog;
    const [first] = catalog.models;
    const stored = { base_url: `${stack.simulator.url}/v1`, secret: name, ...provider };
    catalog.providers.stored = stored;
    const chain = [{ provider: "stored", model: upstreamModel || `sim-small?reply_id=${name}` }];
    catalog.models.push({ ...first, alias: name, chain, ...model });
    stack.simulator.replies.set(name, { body: completion });
    await writeFile(stack.catalogFile, JSON.stringify(catalog));
    await eventually(async () => {
      const response = await send(`${stack.url}/v1/models`, { key: account.key });
      expect(response.text).toContain(name);
    }, soon);
    return name;
  }

  const chat = (model: string) =>
    send(`${stack.url}/v1/chat/completions`, { key: account.key, body: chatBody({ model }) });

  /** Resolves with the key that the provider is sent. */
  async function sentKey(name: string): Promise<string | undefined> {
    expect((await chat(name)).status).toBe(200);
    const authorization = stack.simulator.replies.requestTo(name)?.headers.authorization;
    return String(authorization).replace("Bearer ", "");
  }

  const newValue = () => `sk-test-${randomUUID()}`;

  test("serves within two seconds after it was set or replaced, without a restart", async () => {
    const name = await newModel();
    await eventually(async () => expect((await chat(name)).status).toBe(503), soon);
    const [first, second] = [newValue(), newValue()];
    await stack.operator.setSecret({ name, value: first });
    await eventually(async () => expect(await sentKey(name)).toBe(first), promised);
    await stack.operator.setSecret({ name, value: second });
    await eventually(async () => expect(await sentKey(name)).toBe(second), promised);
    await expect(stack.operator.removeSecret({ name })).rejects.toThrow(/is the key of stored/);
    await writeFile(stack.catalogFile, testCatalog(stack.simulator.url));
    await eventually(() => stack.operator.removeSecret({ name }), soon);
  });

  test("that is replaced serves requests that cost nothing, too", async () => {
    const [first, second] = [newValue(), newValue()];
    const name = await newModel({
      provider: { kind: "anthropic" },
      model: { pricing: { input: "1", output: "2", cache_write_1h: "2" } },
      upstreamModel: `counted?key=${first}&status=401`,
    });
    const body = { model: name, messages: [{ role: "user", content: "Hello there" }] };
    const count = () => send(`${stack.url}/v1/messages/count_tokens`, { key: account.key, body });
    await stack.operator.setSecret({ name, value: first });
    // Once it has been refused, the key is not tried again for a minute.
    await eventually(async () => {
      expect((await count()).status).toBeGreaterThanOrEqual(500);
      const calls = stack.simulator.calls.list().filter(({ status }) => status === 401);
      expect(calls.length).toBeGreaterThan(0);
    }, soon);
    await stack.operator.setSecret({ name, value: second });
    await eventually(async () => expect((await count()).status).toBe(200), soon);
  });

  test("is nowhere but in the services that call providers", async () => {
    const name = await newModel();
    const value = newValue();
    await stack.operator.setSecret({ name, value });
    await eventually(async () => expect(await sentKey(name)).toBe(value), soon);
    stack.simulator.replies.set(name, { status: 401, body: { error: { message: value } } });
    const refused = await chat(name);
    const texts = {
      ...(await textsOfGateway()),
      refused: refused.text,
      request: textOf(await stack.operator.getRequest({ id: requestIdOf(refused) ?? "" })),
    };
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect([texts.database, texts.secrets, texts.audit].every((text) => text.includes(name))).toBe(
      true,
    );
    expect(texts.log).toContain("slot failed");
    expectNowhere(value, texts);
  });

  /** Resolves with all that a gateway stores, and shows to operators. */
  async function textsOfGateway() {
    return {
      database: await dump(stack.databaseUrl),
      secrets: textOf(await stack.operator.listSecrets({})),
      audit: textOf(await stack.operator.listAudit({ limit: 1_000 })),
      models: textOf(await stack.operator.listModels({})),
      catalog: textOf(await stack.operator.getCatalogRevision({})),
      ledger: textOf(await stack.operator.listLedger({ account: account.accountId })),
      overview: textOf(await stack.operator.readOverview(lastHours())),
      metrics: (await readMetrics(stack.operationsUrls)).join("\n"),
      log,
    };
  }

  test("that is typed into the console to try a provider is nowhere afterwards", async () => {
    const grant = { name: "ci", role: OperatorRole.OWNER, account: "" };
    const { text: token } = await stack.operator.createOperatorToken(grant);
    const authorization = { authorization: `Bearer ${token}` };
    const page = connectConsole(stack.consoleUrl, authorization).operator;
    const [name, apiKey] = [`typed-${randomUUID()}`, newValue()];
    stack.simulator.replies.set(name, { body: completion });
    const unsaved = { text: draftOf(name, `${stack.simulator.url}/v1`), apiKey };
    const served = await page.testSlot({ test: { alias: name, unsaved } });
    expect(served.result).toMatchObject({ isServed: true });
    expect(stack.simulator.replies.requestTo(name)?.headers.authorization).toContain(apiKey);
    const listed = await page.listProviderModels({ provider: name, unsaved });
    expect(listed.models.length).toBeGreaterThan(0);
    const body = { error: { message: `Incorrect API key provided: ${apiKey}` } };
    stack.simulator.replies.set(name, { status: 401, body });
    const refused = await page.testSlot({ test: { alias: name, unsaved } });
    expect(refused.result).toMatchObject({ isServed: false, status: 401 });
    const gone = { text: draftOf(name, "http://127.0.0.1:1/v1"), apiKey };
    const unreached = await page.listProviderModels({ provider: name, unsaved: gone });
    const noCatalog = { text: "models: 1", apiKey };
    const invalid = await page
      .testSlot({ test: { alias: name, unsaved: noCatalog } })
      .catch((error: unknown) => String(error));
    const texts = {
      ...(await textsOfGateway()),
      results: textOf({ served, listed, refused, unreached }),
      invalid: String(invalid),
    };
    expect([texts.audit, texts.results].every((text) => text.includes(name))).toBe(true);
    expect(texts.invalid).toContain("is not valid");
    expectNowhere(apiKey, texts);
  });

  test("is not in the memory of the edge, and one that is tried is not, either", async ({
    skip,
  }) => {
    if (inject("shape") !== "fleet" || !canReadMemory) skip("needs a fleet and /proc");
    const name = await newModel();
    const [value, typed] = [newValue(), newValue()];
    await stack.operator.setSecret({ name, value });
    await eventually(async () => expect(await sentKey(name)).toBe(value), soon);
    const unsaved = { text: draftOf(name, `${stack.simulator.url}/v1`), apiKey: typed };
    await stack.operator.testSlot({ test: { alias: name, unsaved } });
    expect(memoryHas(stack.pidOf("chat"), value)).toBe(true);
    const ofEdge = [value, typed].map((text) => memoryHas(stack.pidOf("edge"), text));
    expect(ofEdge).toEqual([false, false]);
  });
});

interface Catalog {
  providers: Record<string, object>;
  models: object[];
}

const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "sim-small",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

function lastHours() {
  const start = Math.floor(Date.now() / hourMs) * hourMs;
  return { from: timestampFromMs(start - hourMs), to: timestampFromMs(start + hourMs) };
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [value, bytes.toString("hex"), bytes.toString("base64")];
}

function textOf(message: object): string {
  return JSON.stringify(message, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}

/** Returns a catalog with one model, whose provider and reply have the same name. */
function draftOf(name: string, base_url: string): string {
  const model = {
    ...{ alias: name, route_type: "chat", context_tokens: 8_192, max_output_tokens: 64 },
    pricing: { input: "1", output: "2" },
    chain: [{ provider: name, model: `sim-small?reply_id=${name}` }],
  };
  return JSON.stringify({ providers: { [name]: { base_url } }, models: [model] });
}

function expectNowhere(value: string, texts: Readonly<Record<string, string>>): void {
  for (const [where, text] of Object.entries(texts)) {
    const found = formsOf(value).filter((form) => text.includes(form));
    expect(found, where).toEqual([]);
  }
}

/** Returns all rows of all tables as text, in which bytes are hexadecimal. */
async function dump(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of rows) {
      const found = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
      texts.push(...found.rows.map(({ text }) => text));
    }
    return texts.join("\n");
  } finally {
    await client.end();
  }
}
