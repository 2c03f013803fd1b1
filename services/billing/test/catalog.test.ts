import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { CatalogCheck } from "@tollgate/catalog/watch";
import { StartError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import {
  type CatalogPublication,
  CatalogService,
  CatalogSource,
  DiffLineKind,
} from "@tollgate/proto/tollgate/v1/catalog";
import { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import { vendors } from "@tollgate/providers";
import { createClient } from "@tollgate/rpc/client";
import { bindService, type Client } from "@tollgate/rpc/implementation";
import { createLocalTransport } from "@tollgate/rpc/local-transport";
import { localNotices } from "@tollgate/runtime/broker/notices";
import { createProcessCatalog } from "@tollgate/runtime/catalog/process-catalog";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import type { ServiceName } from "@tollgate/runtime/service";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { localActor } from "../src/actor.ts";
import { implementCatalog } from "../src/catalog/sync.ts";
import type { PrismaClient } from "../src/generated/client.ts";
import { implementOperator } from "../src/operator/operator.ts";
import type { ProviderServices } from "../src/operator/provider-services.ts";
import { TestRate } from "../src/operator/test-rate.ts";
import { createStatementDrawing } from "../src/statements/statement-drawing.ts";
import { type BillingDatabase, openBillingDatabase } from "./billing-database.ts";

const log = createLog("silent");

/** Returns a catalog of chat models. */
function catalogOf(...aliases: string[]): string {
  return `providers: { p: { base_url: "http://localhost:1/v1" } }
models:
${aliases.map(modelOf).join("")}`;
}

function modelOf(alias: string): string {
  return `  - alias: ${alias}
    route_type: chat
    context_tokens: 1000
    max_output_tokens: 100
    pricing: { input: "1", output: "2" }
    chain: [{ provider: p, model: m }]
`;
}

describe("the catalog in the database", () => {
  let database: BillingDatabase;
  let pool: pg.Pool;
  let prisma: PrismaClient;
  let operator: Client<typeof OperatorService>;
  let operatorOfFile: Client<typeof OperatorService>;
  let catalogs: Client<typeof CatalogService>;
  const notices = localNotices();
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    database = await openBillingDatabase(8);
    ({ pool, prisma } = database);
    const transport = createLocalTransport(log);
    // Nothing here calls another service, or reads the catalog in use.
    const parts = {
      ...{ prisma, notices, actor: localActor, now: () => new Date() },
      ledger: createClient(LedgerService, transport),
      credits: createClient(CreditService, transport),
      slots: createClient(SlotService, transport),
      conversations: createClient(ConversationService, transport),
      catalog: () => ({
        providers: new Map(),
        models: new Map(),
        plans: new Map(),
        limits: { requestsPerMinute: 0, tokensPerMinute: 0 },
      }),
      stripe: undefined,
      autoTopUps: undefined,
      statementIssuer: undefined,
      drawStatement: createStatementDrawing(),
      secretsKey: undefined,
      contentKey: undefined,
      contentDeletion: { wake() {} },
      mailing: undefined,
      webhooks: undefined,
      sealer: undefined,
      warnings: { wake() {} },
      signUp: {
        mode: "off",
        domains: [],
        creditNanoUsd: 0n,
        creditNeedsCard: false,
        termsUrl: "",
      } as const,
      services: {} as ProviderServices,
      testRate: new TestRate(() => new Date()),
      refusalDays: 7,
    };
    transport.add(bindService(CatalogService, implementCatalog(prisma)));
    catalogs = createClient(CatalogService, transport);
    const serve = (catalogFile: Parameters<typeof implementOperator>[0]["catalogFile"]) => {
      const own = createLocalTransport(log);
      own.add(bindService(OperatorService, implementOperator({ ...parts, catalogFile })));
      return createClient(OperatorService, own);
    };
    operator = serve(undefined);
    const file = { path: "/etc/catalog.yaml", text: catalogOf("of-file"), hash: "0" };
    operatorOfFile = serve(() => file);
  });

  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()));
  });

  afterAll(() => database.stop());

  const newAlias = () => `model-${randomUUID()}`;
  const newestRevision = async () => (await operator.getCatalogStatus({})).revision;

  /** Publishes on top of the newest revision. */
  async function publish(text: string, more: { without?: string[]; reason?: string } = {}) {
    const baseRevision = await newestRevision();
    return resultOf(
      operator.publishCatalog({ text, baseRevision, ...more }, { timeoutMs: 60_000 }),
    );
  }

  async function resultOf(publishing: Promise<{ publication?: CatalogPublication | undefined }>) {
    const { publication } = await publishing;
    return publication?.result ?? { case: undefined };
  }

  /** Starts a process of a service that refuses models with this alias, or that checks by itself. */
  async function startProcess(
    service: ServiceName,
    refused?: string | CatalogCheck,
    untilBilling?: Promise<void>,
  ) {
    let gate = untilBilling ?? Promise.resolve();
    const readiness = { isRefusing: false };
    const port = 20_000 + Math.floor(Math.random() * 40_000);
    const metrics = createMetrics();
    const catalog = createProcessCatalog(
      [service],
      { TOLLGATE_LISTEN: `127.0.0.1:${port}` },
      {
        ...{ notices, log, metrics },
        readiness: {
          setRefusing(isRefusing) {
            readiness.isRefusing = isRefusing;
          },
        },
      },
    );
    stops.push(catalog.stop);
    const shared = await catalog.open(service, {
      kinds: vendors,
      client: {
        ...catalogs,
        syncCatalog: (request, options) => gate.then(() => catalogs.syncCatalog(request, options)),
      },
      check(draft) {
        if (typeof refused === "function") return refused(draft);
        if (refused !== undefined && draft.models.has(refused)) {
          throw new StartError(`${refused}: its variable is not set`);
        }
      },
    });
    const aliases = () => [...shared.current().models.keys()];
    return {
      ...{ shared, aliases, readiness, metrics },
      async name() {
        const { processes } = await operator.getCatalogStatus({});
        return processes.find((one) => one.name.endsWith(`:${port}`))?.name ?? "";
      },
      listed: () =>
        [...shared.current().models.values()]
          .filter((model) => shared.isListed(model))
          .map(({ alias }) => alias),
      /** Holds its calls to billing. Returns a function that lets them pass. */
      pause() {
        const { promise, resolve } = Promise.withResolvers<void>();
        gate = promise;
        return resolve;
      },
      stop: catalog.stop,
    };
  }

  test("a published revision is served by every process, and is in the audit log", async () => {
    const [one, other] = await Promise.all([startProcess("chat"), startProcess("audio")]);
    const alias = newAlias();
    const result = await publish(catalogOf(alias), { reason: "the first" });
    if (result.case !== "published") throw new Error(`it was ${result.case}`);
    const { revision, processes } = result.value;
    expect(processes.map(({ isCurrent }) => isCurrent)).toEqual([true, true]);
    expect([one.aliases(), other.aliases()]).toEqual([[alias], [alias]]);
    expect(revision).toMatchObject({ reason: "the first", authorKind: "local", models: 1 });
    const { records } = await operator.listAudit({ limit: 1 });
    expect(records[0]).toMatchObject({
      action: "PublishCatalog",
      subjectKind: "catalog",
      subjectId: String(revision?.revision),
    });
    expect(JSON.parse(records[0]?.after ?? "")).toEqual({
      revision: String(revision?.revision),
      reason: "the first",
    });
  });

  test("a process that cannot serve a revision is named, and no process switches", async () => {
    const refused = newAlias();
    const well = await startProcess("chat");
    const unable = await startProcess("audio", refused);
    const alias = newAlias();
    expect((await publish(catalogOf(alias))).case).toBe("published");
    const before = await newestRevision();
    const result = await publish(catalogOf(alias, refused));
    expect(result).toMatchObject({
      case: "unservable",
      value: {
        processes: [{ name: await unable.name(), reason: `${refused}: its variable is not set` }],
      },
    });
    expect(await newestRevision()).toBe(before);
    for (const { aliases } of [well, unable]) {
      expect(aliases()).toContain(alias);
      expect(aliases()).not.toContain(refused);
    }
    expect(unable.readiness.isRefusing).toBe(false);
  });

  test("a process that publishing goes without keeps what it has, and is not ready", async () => {
    const refused = newAlias();
    const well = await startProcess("chat");
    const unable = await startProcess("audio", refused);
    const alias = newAlias();
    await publish(catalogOf(alias));
    const without = [await unable.name()];
    expect((await publish(catalogOf(refused), { without })).case).toBe("published");
    expect(well.aliases()).toContain(refused);
    await expect.poll(() => unable.readiness.isRefusing).toBe(true);
    expect(unable.aliases()).toContain(alias);
    expect(unable.aliases()).not.toContain(refused);
    expect(unable.shared.isNewest()).toBe(false);
    expect(await unable.metrics.registry.metrics()).toContain("tollgate_catalog_refused 1");
    await expect
      .poll(async () => (await operator.getCatalogStatus({})).processes)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            name: without[0],
            isCurrent: false,
            refusal: expect.objectContaining({ reason: `${refused}: its variable is not set` }),
          }),
        ]),
      );
    expect((await publish(catalogOf(newAlias()))).case).toBe("published");
    expect(unable.readiness.isRefusing).toBe(false);
  });

  test("of two drafts with one base, the second is refused with what the first has changed", async () => {
    await startProcess("chat");
    const [first, second] = [newAlias(), newAlias()];
    const baseRevision = await newestRevision();
    const drafts = [first, second].map((alias) =>
      operator.publishCatalog({ text: catalogOf(alias), baseRevision }, { timeoutMs: 60_000 }),
    );
    const results = await Promise.all(drafts.map(resultOf));
    expect(results.map((result) => result.case).toSorted()).toEqual(["outdated", "published"]);
    const winner = results[0]?.case === "published" ? first : second;
    const outdated = results.find((result) => result.case === "outdated")?.value;
    expect(outdated).toMatchObject({
      revisions: [{ revision: baseRevision + 1n }],
      lines: expect.arrayContaining([
        expect.objectContaining({ kind: DiffLineKind.ADDED, text: `  - alias: ${winner}` }),
      ]),
    });
    expect(await newestRevision()).toBe(baseRevision + 1n);
  });

  test("a draft that another one has replaced before all have checked it is not published", async () => {
    const replace = async () => void (await pool.query("DELETE FROM billing.catalog_candidate"));
    await startProcess("chat", replace);
    const before = await newestRevision();
    expect(await publish(catalogOf(newAlias()))).toMatchObject({ case: "busy" });
    expect(await newestRevision()).toBe(before);
  });

  test("a text that is not valid is refused with all of its errors", async () => {
    const before = await newestRevision();
    const text = catalogOf("one", "two").replaceAll("provider: p", "provider: none");
    const errors = ["one", "two"].map((alias, index) =>
      expect.stringContaining(`models[${index}] (${alias}).chain[0].provider: must be the name`),
    );
    expect(await publish(text)).toMatchObject({ case: "invalid", value: { errors } });
    expect((await operator.checkCatalog({ text })).errors).toEqual(errors);
    expect(await newestRevision()).toBe(before);
  });

  test("rolling back publishes the text of an earlier revision as a new one", async () => {
    const process = await startProcess("chat");
    const alias = newAlias();
    await publish(catalogOf(alias));
    const revision = await newestRevision();
    await publish(catalogOf(newAlias()));
    const baseRevision = await newestRevision();
    const request = { revision, baseRevision, reason: "no" };
    const result = await resultOf(operator.rollBackCatalog(request, { timeoutMs: 60_000 }));
    expect(result).toMatchObject({
      case: "published",
      value: { revision: { revision: baseRevision + 1n, restoresRevision: revision } },
    });
    expect(process.listed()).toEqual([alias]);
    const restored = await operator.getCatalogRevision({});
    expect(restored.text).toBe(catalogOf(alias));
  });

  test("a revision that was published never changes", async () => {
    await publish(catalogOf(newAlias()));
    const change = (sql: string) => expect(pool.query(sql)).rejects.toThrow("never changes");
    await change("UPDATE billing.catalog_revision SET reason = 'another'");
    await change("DELETE FROM billing.catalog_revision");
    await change("TRUNCATE billing.catalog_revision CASCADE");
  });

  test("an edge lists a model once the service that serves it has the revision", async () => {
    const chat = await startProcess("chat");
    const edge = await startProcess("edge");
    const [first, second] = [newAlias(), newAlias()];
    await publish(catalogOf(first));
    await expect.poll(() => edge.listed()).toEqual([first]);
    // The revision is stored without a check by chat, as where it starts in this moment.
    const resume = chat.pause();
    const without = [await chat.name()];
    const published = await publish(catalogOf(first, second), { without });
    expect(published.case).toBe("published");
    expect(edge.aliases()).toEqual([first, second]);
    expect(edge.listed()).toEqual([first]);
    resume();
    await expect.poll(() => edge.listed()).toEqual([first, second]);
    expect(chat.aliases()).toEqual([first, second]);
  });

  test("a model that was removed is listed no longer, and served for some seconds more", async () => {
    const chat = await startProcess("chat");
    const [kept, removed] = [newAlias(), newAlias()];
    await publish(catalogOf(kept, removed));
    await publish(catalogOf(kept));
    expect(chat.listed()).toEqual([kept]);
    expect(chat.aliases()).toEqual([kept, removed]);
  });

  test("publishing waits until a process that was killed is live no longer", async () => {
    await startProcess("chat");
    const processId = `process_${randomUUID()}`;
    const name = `image@${processId}`;
    await catalogs.syncCatalog({ processId, name, source: CatalogSource.DATABASE });
    await pool.query(
      "UPDATE billing.catalog_process SET seen_at = now() - interval '9 seconds' WHERE process_id = $1",
      [processId],
    );
    const publishing = publish(catalogOf(newAlias()));
    await expect.poll(async () => (await operator.getCatalogStatus({})).isPublishing).toBe(true);
    expect((await publishing).case).toBe("published");
    const { processes } = await operator.getCatalogStatus({});
    expect(processes.map((one) => one.name)).not.toContain(name);
  });

  test("a candidate whose publisher has died ends with its lease", async () => {
    await startProcess("chat");
    const candidate = `INSERT INTO billing.catalog_candidate (id, text, expires_at)
      VALUES ('candidate_dead', 'models: [', now() + interval '1 second')`;
    await pool.query(candidate);
    expect((await publish(catalogOf(newAlias()))).case).toBe("published");
  });

  test("a process that starts serves the newest revision, and one that stops is live no longer", async () => {
    const alias = newAlias();
    await publish(catalogOf(alias));
    const late = await startProcess("document");
    expect(late.aliases()).toEqual([alias]);
    const name = await late.name();
    await late.stop();
    const { processes } = await operator.getCatalogStatus({});
    expect(processes.map((one) => one.name)).not.toContain(name);
  });

  test("a process that starts while billing is away waits for it", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const starting = startProcess("chat", undefined, promise);
    const first = await Promise.race([starting, sleep(100, "it waits")]);
    expect(first).toBe("it waits");
    resolve();
    expect((await starting).shared.isNewest()).toBe(true);
  });

  test("a file is shown, and cannot be published", async () => {
    const refused = operatorOfFile.publishCatalog({ text: catalogOf(newAlias()) });
    await expect(refused).rejects.toThrow("is the file /etc/catalog.yaml (TOLLGATE_CATALOG)");
    expect((await operatorOfFile.getCatalogRevision({})).text).toBe(catalogOf("of-file"));
    expect(await operatorOfFile.getCatalogStatus({})).toMatchObject({
      source: CatalogSource.FILE,
      file: "/etc/catalog.yaml",
      revision: 0n,
    });
  });
});
