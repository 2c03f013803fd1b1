import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { randomOf } from "../src/random.ts";
import { chatBody, send } from "../src/request.ts";
import { type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

const seed = Number(process.env.TOLLGATE_TEST_SEED ?? 1);
const isShort = inject("form") === "short";
const rounds = isShort ? 2 : 20;
/** A process that was killed is live for 10 s more, and a candidate has a lease of 30 s. */
const roundMs = 90_000;
const services = ["ledger", "billing", "chat", "image", "edge"] as const;

let stack: OwnStack;
let account: TestAccount;
let database: pg.Client;

beforeAll(async () => {
  stack = await startStack({ TOLLGATE_CATALOG: "" }, { services });
  account = await stack.newAccount(100);
  database = new pg.Client({ connectionString: stack.databaseUrl });
  await database.connect();
});

afterAll(async () => {
  await database.end();
  await stack.stop();
});

/** Returns a catalog with the model of every round, and the one of this round. */
function catalogOf(round: number): string {
  const models = ["steady", `round-${round}`].map((alias) => ({
    alias,
    route_type: "chat",
    context_tokens: 1_000,
    max_output_tokens: 100,
    pricing: { input: "0.01", output: "0.01" },
    chain: [{ provider: "sim", model: "sim-small" }],
  }));
  const providers = { sim: { base_url: `${stack.simulator.url}/v1` } };
  return JSON.stringify({ providers, models });
}

/** Publishes the catalog of a round, unless it is the newest. Resolves with whether it is. */
async function publish(round: number): Promise<boolean> {
  const text = catalogOf(round);
  const { revision: baseRevision } = await stack.operator.getCatalogStatus({});
  const newest = await stack.operator.getCatalogRevision({});
  if (newest.text === text) return true;
  const request = { text, baseRevision };
  const { publication } = await stack.operator.publishCatalog(request, { timeoutMs: 60_000 });
  return publication?.result.case === "published";
}

/** Resolves once a candidate is being checked, or publishing has ended. */
async function untilCandidate(publishing: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const ended = publishing.then(
    () => (hasEnded = true),
    () => (hasEnded = true),
  );
  while (!hasEnded) {
    const { rows } = await database.query("SELECT 1 FROM billing.catalog_candidate");
    if (rows.length > 0) return;
  }
  await ended;
}

const chat = (model: string) =>
  send(`${stack.url}/v1/chat/completions`, { key: account.key, body: chatBody({ model }) });

/**
 * Lists the models and calls each, until `isEnded`. Adds those that are served to `served`. Resolves with those that
 * were unknown although they were listed.
 */
async function callListed(served: Set<string>, isEnded: () => boolean): Promise<string[]> {
  const unknown: string[] = [];
  while (!isEnded()) {
    // An edge that was killed refuses connections.
    const found = await send(`${stack.url}/v1/models`, {}).catch(() => undefined);
    const { data = [] } = (found?.body ?? {}) as { data?: { id: string }[] };
    const statuses = await Promise.all(
      data.map(async ({ id }) => [id, (await chat(id).catch(() => undefined))?.status] as const),
    );
    for (const [id, status] of statuses) {
      if (status === 404) unknown.push(id);
      if (status === 200) served.add(id);
    }
  }
  return unknown;
}

test(
  `the fleet ends on one revision, however often a service is killed between prepare and publish`,
  async () => {
    const { killService } = stack;
    if (killService === undefined) throw new Error("all services share one process");
    const random = randomOf(seed, "catalog-kills");
    let hasEnded = false;
    const served = new Set<string>();
    const calls = callListed(served, () => hasEnded);
    expect(await publish(0)).toBe(true);
    for (let round = 1; round <= rounds; round += 1) {
      const victim = random.pick(services);
      const publishing = publish(round);
      publishing.catch(() => {});
      await untilCandidate(publishing);
      const restart = await killService(victim);
      await restart();
      // The publisher itself may have been killed.
      await publishing.catch(() => {});
      await eventually(async () => expect(await publish(round)).toBe(true), { timeout: roundMs });
      await eventually(
        async () => {
          const { revision, processes } = await stack.operator.getCatalogStatus({});
          const revisions = processes.map((process) => process.revision);
          expect([seed, round, victim, ...new Set(revisions)]).toEqual([
            seed,
            round,
            victim,
            revision,
          ]);
        },
        { timeout: roundMs },
      );
      const alias = `round-${round}`;
      await eventually(() => expect([...served]).toContain(alias), { timeout: roundMs });
    }
    hasEnded = true;
    expect(await calls).toEqual([]);
  },
  rounds * roundMs,
);
