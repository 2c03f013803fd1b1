import { create, toBinary } from "@bufbuild/protobuf";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { createBatchMac, macHeader } from "@tollgate/metering/broker/batch-mac";
import { usageSubject } from "@tollgate/metering/broker/usage-stream";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import {
  Outcome,
  type UsageEvent,
  UsageEventBatchSchema,
  UsageEventSchema,
} from "@tollgate/proto/tollgate/v1/usage";
import { createClient } from "@tollgate/rpc/client";
import { createGrpcTransport } from "@tollgate/rpc/grpc-transport";
import { natsAddress } from "@tollgate/runtime/broker/nats-address";
import type { ServiceName } from "@tollgate/runtime/service";
import { connect, headers } from "nats";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { expectBalancedLedger, readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { ocrClient } from "../src/ocr-client.ts";
import { modelField, pdf } from "../src/ocr-form.ts";
import { chatBody, send, simulate } from "../src/request.ts";
import {
  chatServices,
  type OwnStack,
  startStack,
  type TestAccount,
  testSecrets,
} from "../src/stack.ts";

describe("money", () => {
  let stack: OwnStack;

  beforeAll(async () => {
    const services = [...chatServices, "document"] as const;
    stack = await startStack({ TOLLGATE_HOLD_SECONDS: "3" }, { services });
  });

  afterEach(async () => {
    await expectBalancedLedger(stack);
  });

  afterAll(() => stack.stop());

  function post(account: TestAccount, body: Record<string, unknown>): Promise<HttpResponse> {
    return send(`${stack.url}/v1/chat/completions`, { key: account.key, body: chatBody(body) });
  }

  function costOf(response: HttpResponse): bigint {
    return nanoUsd((response.body as { usage: { cost: number } }).usage.cost);
  }

  test("200 concurrent requests on a wallet that affords 50 charge exactly 50", async () => {
    // The policy holds the bound: 11 bytes and 16 tokens of framing. The response uses all of it.
    const bound = { max_tokens: 100, ...simulate("usage=27,100&delay_ms=200") };
    const probe = await stack.newAccount(1);
    const price = costOf(await post(probe, bound));
    const account = await stack.newAccount(Number(price * 50n) / 1e9, "strict");
    const responses = await Promise.all(Array.from({ length: 200 }, () => post(account, bound)));
    const paid = responses.filter((response) => response.status === 200);
    const refused = responses.filter((response) => response.status === 402);
    expect([paid.length, refused.length]).toEqual([50, 150]);
    expect(
      refused.some((response) => response.text.includes("calls in flight and jobs hold")),
    ).toBe(true);
    await eventually(async () => {
      const { balance, held, entries } = await readWalletRow(stack, account);
      expect([balance, held]).toEqual([0n, 0n]);
      expect(entries.reduce((sum, entry) => sum + entry.amount, 0n)).toBe(0n);
      expect(entries.filter((entry) => entry.kind === "usage")).toHaveLength(50);
    });
  });

  test("a wallet that affords less than the bound lowers the output limit", async () => {
    const account = await stack.newAccount(0.00005);
    const response = await post(account, { ...simulate("tokens=4000") });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ choices: [{ finish_reason: "length" }] });
    const cost = costOf(response);
    expect(cost).toBeLessThanOrEqual(50_000n);
    await eventually(async () => {
      expect((await readWalletRow(stack, account)).balance).toBe(50_000n - cost);
    });
  });

  test("a client pays the reported cost, also when the prompt costs more than the wallet has", async () => {
    const account = await stack.newAccount(0.00005);
    const used = simulate("usage=1000000,1000000");
    const response = await post(account, { max_tokens: 1, ...used });
    expect(costOf(response)).toBe(50_000n);
    await eventually(async () => {
      const { balance, entries } = await readWalletRow(stack, account);
      expect(balance).toBe(0n);
      expect(entries[0]?.amount).toBe(-50_000n);
      expect(entries[0]?.uncollected).toBe(150_001_000n - 50_000n);
    });
  });

  test("a failed generation leaves an entry of cost 0 and releases its hold", async () => {
    const account = await stack.newAccount(1);
    expect((await post(account, { model: "test-failing" })).status).toBe(502);
    await eventually(async () => {
      const { balance, held, entries } = await readWalletRow(stack, account);
      expect([balance, held]).toEqual([1_000_000_000n, 0n]);
      expect(entries.map((entry) => [entry.kind, entry.amount])).toEqual([
        ["failure", 0n],
        ["top_up", 1_000_000_000n],
      ]);
    });
  });

  test("a long call keeps its hold alive", async () => {
    const account = await stack.newAccount(1);
    const pending = post(account, { stream: true, ...simulate("chunks=50&gap_ms=120") });
    await eventually(async () =>
      expect((await readWalletRow(stack, account)).held).toBeGreaterThan(0n),
    );
    const pool = new pg.Pool({ connectionString: stack.databaseUrl });
    const { rows } = await pool.query<{ expires_at: Date }>(
      "SELECT expires_at FROM ledger.hold WHERE account_id = $1",
      [account.accountId],
    );
    await eventually(
      async () => {
        const later = await pool.query<{ expires_at: Date }>(
          "SELECT expires_at FROM ledger.hold WHERE account_id = $1",
          [account.accountId],
        );
        expect(later.rows[0]?.expires_at.getTime()).toBeGreaterThan(
          (rows[0]?.expires_at.getTime() ?? 0) + 2_000,
        );
      },
      { timeout: 6_000 },
    );
    await pool.end();
    expect((await pending).status).toBe(200);
  });

  test("a killed chat process leaves no money held or lost", async () => {
    const account = await stack.newAccount(1);
    const pending = Array.from({ length: 20 }, () => post(account, simulate("delay_ms=60000")));
    const ended = Promise.allSettled(pending);
    await eventually(async () =>
      expect((await readWalletRow(stack, account)).held).toBeGreaterThan(0n),
    );
    await stack.killChat();
    await ended;
    await expectBalancedLedger(stack);
    await eventually(async () => {
      const { balance, held } = await readWalletRow(stack, account);
      expect([balance, held]).toEqual([1_000_000_000n, 0n]);
    });
    expect((await post(account, {})).status).toBe(200);
  });

  test("a wallet's balance and the hold of a job survive a restart, and the job is charged once", async () => {
    const account = await stack.newAccount(1);
    const cost = costOf(await post(account, {}));
    const ocr = ocrClient(stack, account);
    const alias = "test-read-at-once";
    const created = await ocr.createJob([pdf(12), modelField(alias)]);
    const { job_id: jobId } = created.body as { job_id: string };
    const left = 1_000_000_000n - cost;
    const expectWallet = (balance: bigint, held: bigint) =>
      eventually(async () => {
        expect(await readWalletRow(stack, account)).toMatchObject({ balance, held });
      });
    await expectWallet(left, 18_000_000n);
    // In one process, this kills all services.
    const kills = [stack.killChat(), restart("document"), restart("ledger")];
    await Promise.all(kills);
    await expectWallet(left, 18_000_000n);
    for (const _ of [1, 2]) {
      await eventually(async () => expect((await ocr.readJob(jobId, alias)).status).toBe(200));
    }
    await expectWallet(left - 18_000_000n, 0n);
    const { entries } = await readWalletRow(stack, account);
    expect(entries.map(({ kind }) => kind)).toEqual(["usage", "usage", "top_up"]);
  });

  /** Kills a service of the fleet and starts it again. */
  async function restart(name: ServiceName): Promise<void> {
    const startAgain = await stack.killService?.(name);
    await startAgain?.();
  }

  test("the same usage event delivered five times charges once", async () => {
    const account = await stack.newAccount(1);
    await deliverFiveTimes(stack, [usageOf(account, "once", 7_777_000n)]);
    // The chat service has just restarted, and the edge may not have reconnected yet.
    await eventually(async () => expect((await post(account, {})).status).toBe(200));
    await eventually(async () => {
      const { entries } = await readWalletRow(stack, account);
      expect(entries.filter((entry) => entry.kind === "usage")).toHaveLength(2);
    });
    const { entries, balance } = await readWalletRow(stack, account);
    expect(entries.filter((entry) => entry.amount === -7_777_000n)).toHaveLength(1);
    expect(entries.reduce((sum, entry) => sum + entry.amount, 0n)).toBe(balance);
  });

  test("the valid events of one message are charged once each", async ({ skip }) => {
    if (stack.natsUrl === undefined) return skip("there is no broker");
    const account = await stack.newAccount(1);
    const events = [
      usageOf(account, "first", 1_000n),
      usageOf(account, "second", 2_000n),
      usageOf({ ...account, accountId: "" }, "none", 3_000n),
      usageOf(account, "fourth", 4_000n),
    ];
    await deliverFiveTimes(stack, events);
    await eventually(async () => {
      const { entries } = await readWalletRow(stack, account);
      const charges = entries.filter(({ kind }) => kind === "usage").map(({ amount }) => amount);
      expect(charges.sort()).toEqual([-1_000n, -2_000n, -4_000n]);
    });
  });

  test("a usage event that does not come from the fleet is not charged", async ({ skip }) => {
    if (stack.natsUrl === undefined) return skip("there is no broker");
    const account = await stack.newAccount(1);
    const messageOf = (name: string, costNanoUsd: bigint) => {
      const events = [usageOf(account, name, costNanoUsd)];
      return toBinary(UsageEventBatchSchema, create(UsageEventBatchSchema, { events }));
    };
    const forged = messageOf("forged", 1_000n);
    await publishUsage(stack.natsUrl, forged);
    await publishUsage(stack.natsUrl, forged, createBatchMac("another secret").sign(forged));
    const own = messageOf("own", 2_000n);
    await publishUsage(stack.natsUrl, own, createBatchMac(testSecrets.fleet).sign(own));
    await eventually(async () => {
      const { entries } = await readWalletRow(stack, account);
      const charges = entries.filter(({ kind }) => kind === "usage").map(({ amount }) => amount);
      expect(charges).toEqual([-2_000n]);
    });
  });

  test("nobody reads usage events without the broker's credentials", async ({ skip }) => {
    if (stack.natsUrl === undefined) return skip("there is no broker");
    const { host } = new URL(stack.natsUrl);
    const refused = connect({ servers: host, reconnect: false, timeout: 2_000 });
    await expect(refused).rejects.toMatchObject({ code: "AUTHORIZATION_VIOLATION" });
  });
});

function usageOf(
  { accountId }: Pick<TestAccount, "accountId">,
  name: string,
  costNanoUsd: bigint,
): UsageEvent {
  const id = `req_${name}_${accountId}`;
  return create(UsageEventSchema, {
    id,
    requestId: id,
    accountId,
    outcome: Outcome.COMPLETED,
    routeType: "chat",
    unitType: "tokens",
    quantity: 10n,
    basis: "provider",
    costNanoUsd,
    lines: [{ dimension: "input", quantity: 10n, amountNanoUsd: costNanoUsd }],
  });
}

/** Publishes to the broker if there is one, else calls the ledger, as the publisher does. */
async function deliverFiveTimes(stack: OwnStack, events: UsageEvent[]): Promise<void> {
  const copies = [1, 2, 3, 4, 5];
  if (stack.natsUrl === undefined) {
    const transport = createGrpcTransport(stack.operatorAddress, createPeerAuth(testSecrets));
    const ledger = createClient(LedgerService, transport);
    await Promise.all(copies.map(() => ledger.recordUsage({ events: [...events, ...events] })));
    transport.close();
    return;
  }
  // Without a message id the broker stores every copy: the ledger must deduplicate them.
  const message = toBinary(UsageEventBatchSchema, create(UsageEventBatchSchema, { events }));
  const mac = createBatchMac(testSecrets.fleet).sign(message);
  for (const _ of copies) await publishUsage(stack.natsUrl, message, mac);
}

async function publishUsage(natsUrl: string, message: Uint8Array, mac?: string): Promise<void> {
  const connection = await connect(natsAddress(natsUrl));
  const stamped = headers();
  if (mac !== undefined) stamped.set(macHeader, mac);
  await connection.jetstream().publish(usageSubject, message, { headers: stamped });
  await connection.close();
}
