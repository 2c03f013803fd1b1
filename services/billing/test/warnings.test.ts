import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createLog } from "@tollgate/core/log";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import { WarningChannelKind, WarningKind } from "@tollgate/proto/tollgate/v1/warning";
import type { Client } from "@tollgate/rpc/implementation";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAccount } from "../src/accounts.ts";
import { createSealer } from "../src/sealing.ts";
import { createChannel, startWebhooks } from "../src/warnings/channels.ts";
import { checkWarnings } from "../src/warnings/check-warnings.ts";
import { type IdentityUnderTest, startIdentity } from "./identity-under-test.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const usd = 1_000_000_000n;
const identityKey = "x".repeat(32);

interface Delivery {
  headers: IncomingHttpHeaders;
  body: string;
}

describe("warnings", () => {
  let tested: IdentityUnderTest;
  let nowMs = Date.now();
  let balance = 0n;
  let status = 204;
  let url = "";
  const server = createServer(async (request, response) => {
    const delivery = { headers: request.headers, body: await text(request) };
    (status === 204 ? received : refused).push(delivery);
    response.writeHead(status).end();
  });
  const received: Delivery[] = [];
  const refused: Delivery[] = [];
  const now = () => new Date(nowMs);

  beforeAll(async () => {
    tested = await startIdentity(now);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  });

  afterAll(async () => {
    server.close();
    await tested.stop();
  });

  beforeEach(async () => {
    // What other tests have set is not due here.
    await tested.prisma.warningSettings.deleteMany({});
    nowMs = Date.now();
    status = 204;
    received.length = 0;
    refused.length = 0;
  });

  /** Starts what a replica of billing has. The ledger has one wallet for every account. */
  function startReplica() {
    const { prisma } = tested;
    const log = createLog("silent");
    const settings = { identityKey, allowsPrivate: true };
    const webhooks = startWebhooks(settings, { prisma, log, now });
    const wallet = async () => ({ wallet: { balanceNanoUsd: balance } });
    const ledger = { getWallet: wallet } as unknown as Client<typeof LedgerService>;
    const slots = {} as Client<typeof SlotService>;
    return { prisma, log, ledger, slots, now, mailing: undefined, webhooks };
  }

  /** Lets three replicas send what is due at the same time, each until nothing is. */
  async function send(replicas = [startReplica(), startReplica(), startReplica()]) {
    for (const { webhooks } of replicas) webhooks.outbox.wake();
    await Promise.all(replicas.map(({ webhooks }) => webhooks.stop()));
  }

  /** Lets three replicas check the rules that are due at the same time, and send. */
  async function check() {
    const replicas = [startReplica(), startReplica(), startReplica()];
    await Promise.all(replicas.map(checkWarnings));
    await send(replicas);
  }

  /** Creates an account with rules, and a webhook of it. */
  async function newAccount(kind: WarningKind, threshold: bigint) {
    const { prisma, operators } = tested;
    const name = `account ${randomUUID()}`;
    const { id } = await createAccount(prisma, { name, admission: "" }, async () => false);
    await operators.updateWarningRules({ account: id, rules: { rules: [{ kind, threshold }] } });
    const sealer = createSealer(identityKey);
    const channel = { accountId: id, kind: WarningChannelKind.WEBHOOK, target: url };
    return { id, name, ...(await createChannel(prisma, sealer, channel, now())) };
  }

  const titlesOf = (deliveries: readonly Delivery[]) =>
    deliveries.flatMap(({ body }) =>
      (JSON.parse(body).data.warnings as { title: string }[]).map(({ title }) => title),
    );
  const openOf = async (account: string) =>
    (await tested.operators.listWarnings({ account, onlyOpen: true })).warnings;

  test("are signed, and sent once until their rule was false, by whichever replica", async () => {
    balance = 5n * usd;
    const { id, name, secret } = await newAccount(WarningKind.BALANCE, 10n * usd);
    await check();
    expect(received).toHaveLength(1);
    const [first] = received;
    const headers = first?.headers as Record<string, string>;
    const event = new Webhook(secret).verify(first?.body ?? "", headers);
    expect(event).toMatchObject({
      type: "warnings.begun",
      data: { account_id: id, account_name: name, warnings: [{ kind: "balance", key_id: "" }] },
    });
    const other = new Webhook(`whsec_${Buffer.alloc(24).toString("base64")}`);
    expect(() => other.verify(first?.body ?? "", headers)).toThrow(/signature/i);
    nowMs += minuteMs;
    await check();
    expect(await openOf(id)).toHaveLength(1);
    balance = 20n * usd;
    nowMs += minuteMs;
    await check();
    expect(await openOf(id)).toEqual([]);
    balance = 5n * usd;
    nowMs += minuteMs;
    await check();
    expect(received).toHaveLength(2);
    expect(received[0]?.headers["webhook-id"]).not.toBe(received[1]?.headers["webhook-id"]);
    expect(titlesOf(received)).toEqual(Array(2).fill("The balance is below 10.000000 USD"));
  });

  test("reach a receiver that was down for an hour, each once", async () => {
    const { stored } = await newAccount(WarningKind.BALANCE, 10n * usd);
    status = 503;
    for (const amount of [5n, 20n, 5n, 20n, 5n]) {
      balance = amount * usd;
      await check();
      nowMs += minuteMs;
    }
    const waiting = () => tested.prisma.outbox.count({ where: { channelId: stored.id } });
    expect(await waiting()).toBe(3);
    for (const endMs = nowMs + hourMs; nowMs < endMs; nowMs += minuteMs) await send();
    expect(refused.length).toBeGreaterThan(6);
    const failing = await tested.prisma.warningChannel.findUnique({ where: { id: stored.id } });
    expect(failing).toMatchObject({ error: "503", errorAt: expect.any(Date) });
    expect(await waiting()).toBe(3);
    expect(received).toEqual([]);
    status = 204;
    nowMs += hourMs;
    await send();
    expect(await waiting()).toBe(0);
    const ids = received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
    const row = await tested.prisma.warningChannel.findUnique({ where: { id: stored.id } });
    expect(row).toMatchObject({ error: "", deliveredAt: expect.any(Date) });
  });

  test("name a key that expires, once, and not the keys of others to a developer", async () => {
    const { id: accountId } = await newAccount(WarningKind.KEY_EXPIRY, 7n);
    const key = { accountId, channel: "", name: "ci" };
    const expiresAt = (days: number) => new Date(nowMs + days * dayMs);
    const ids = [1, 6, 8].map((days) => ({
      id: `key_${randomUUID()}`,
      expiresAt: expiresAt(days),
    }));
    await tested.prisma.apiKey.createMany({ data: ids.map((one) => ({ ...key, ...one })) });
    for (let minute = 0; minute < 3; minute += 1) {
      await check();
      nowMs += minuteMs;
    }
    expect(received).toHaveLength(1);
    expect(titlesOf(received)).toHaveLength(2);
    const open = await openOf(accountId);
    expect(open.map(({ keyId }) => keyId).sort()).toEqual(
      ids
        .slice(0, 2)
        .map(({ id }) => id)
        .sort(),
    );
    nowMs += 2 * dayMs;
    await check();
    expect(await openOf(accountId)).toHaveLength(2);
  });

  test("of an invoice with a loss hold until a later check of its month finds none", async () => {
    const { operators, prisma } = tested;
    const provider = `acme-${randomUUID().slice(0, 8)}`;
    await prisma.warning.deleteMany({ where: { accountId: "" } });
    const record = async (month: string, paidNanoUsd: bigint, chargedNanoUsd: bigint) => {
      await operators.recordInvoiceCheck({ provider, month, paidNanoUsd, chargedNanoUsd });
      await check();
      const open = await prisma.warning.findMany({ where: { accountId: "", endedAt: null } });
      return open.map(({ title, text }) => `${title}: ${text}`);
    };
    expect(await record("2026-09", 0n, 0n)).toEqual([]);
    const [begun = "", ...others] = await record("2026-10", 4n * usd, 3n * usd);
    expect(others).toEqual([]);
    expect(begun).toContain(`Less was charged than ${provider} was paid for 2026-10: `);
    expect(begun).toMatch(/ 4\.000000 USD, and 3\.000000 USD /);
    expect(await record("2026-09", 0n, 0n)).toHaveLength(1);
    expect(await record("2026-09", 2n, 1n)).toHaveLength(2);
    expect(await record("2026-10", 0n, 0n)).toEqual([expect.stringContaining("2026-09")]);
    // Who removed the rule does not get it again.
    await operators.updateWarningRules({ rules: { rules: [] } });
    expect(await record("2026-10", 2n, 1n)).toEqual([]);
    for (const wrong of [
      { month: "2026-13" },
      { provider: "a b" },
      { chargedNanoUsd: 2n },
      { paidNanoUsd: 2n ** 63n },
    ]) {
      const request = { provider, month: "2026-10", paidNanoUsd: 2n, chargedNanoUsd: 1n, ...wrong };
      await expect(operators.recordInvoiceCheck(request)).rejects.toMatchObject({
        code: "invalid_param",
      });
    }
  });

  test("have rules with sensible thresholds only, and those of the gateway for operators", async () => {
    const { id: account } = await newAccount(WarningKind.STATEMENT, 0n);
    const rule = (kind: WarningKind, threshold: bigint) => ({ kind, threshold });
    const refusedRules = [
      [rule(WarningKind.BUDGET, 101n)],
      [rule(WarningKind.DAYS_LEFT, 0n)],
      [rule(WarningKind.PROVIDER, 0n)],
      [rule(WarningKind.UNSPECIFIED, 0n)],
      [rule(WarningKind.BUDGET, 80n), rule(WarningKind.BUDGET, 80n)],
      Array.from({ length: 21 }, (_, index) => rule(WarningKind.BALANCE, BigInt(index + 1))),
    ];
    for (const rules of refusedRules) {
      const updated = tested.operators.updateWarningRules({ account, rules: { rules } });
      await expect(updated).rejects.toMatchObject({ code: "invalid_param", param: "rules" });
    }
    const ofGateway = [rule(WarningKind.PROVIDER, 0n), rule(WarningKind.UNCOLLECTED, 0n)];
    const updated = await tested.operators.updateWarningRules({ rules: { rules: ofGateway } });
    expect(updated.rules?.rules).toMatchObject(ofGateway);
    const ofAccount = { rules: { rules: [rule(WarningKind.BALANCE, 1n)] } };
    const other = tested.operators.updateWarningRules(ofAccount);
    await expect(other).rejects.toMatchObject({ param: "rules" });
  });
});
