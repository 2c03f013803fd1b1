import { randomUUID } from "node:crypto";
import { createLog } from "@tollgate/core/log";
import type { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import type { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import type { Client } from "@tollgate/rpc/implementation";
import {
  type StripeStandIn,
  signStripeEvent,
  startStripeStandIn,
  stripeEvent,
} from "@tollgate/simulator/stripe-stand-in";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAccount } from "../src/accounts.ts";
import { beginPayment } from "../src/payments/auto-top-up/begin-payment.ts";
import { topUpDue } from "../src/payments/auto-top-up/watch-balances.ts";
import { openStripe, type StripeAccess } from "../src/payments/stripe-client.ts";
import { receiveStripeEvent } from "../src/payments/stripe-events.ts";
import { checkWarnings } from "../src/warnings/check-warnings.ts";
import { type IdentityUnderTest, startIdentity } from "./identity-under-test.ts";
import { createLedgerStandIn } from "./ledger-stand-in.ts";

const usd = 1_000_000_000n;
const halfMinuteMs = 30_000;
const hourMs = 60 * 60_000;
const secret = "whsec_test";
const log = createLog("silent");

describe("an automatic top-up", () => {
  let stripe: StripeStandIn;
  let access: StripeAccess;
  let tested: IdentityUnderTest;
  let nowMs = Date.now();
  const now = () => new Date(nowMs);
  const { client: ledger, balances } = createLedgerStandIn();
  const credits = {
    reverseTopUp: async () => ({ reversed: true }),
  } as unknown as Client<typeof CreditService>;

  beforeAll(async () => {
    stripe = await startStripeStandIn();
    const topUps = { least: usd, most: 500n * usd };
    const settings = {
      ...{ key: "sk_test_stand_in", webhookSecrets: [secret], url: new URL(stripe.url), topUps },
      consoleUrl: "https://console.example.com",
    };
    access = await openStripe(settings, { https: undefined, http: undefined, none: "" });
    tested = await startIdentity(now, { stripe: access, ledger });
  });

  afterAll(async () => {
    await tested.stop();
    await stripe.close();
  });

  beforeEach(async () => {
    // Accounts of other tests are not due here.
    await tested.prisma.autoTopUp.deleteMany({});
    nowMs = Date.UTC(2031, 4, 10);
    stripe.losses.left = 0;
  });

  const parts = () => ({
    ...{ prisma: tested.prisma, ledger, credits, access, log, now },
    sealer: undefined,
  });

  /** Creates an account whose card pays 10 USD below a balance of 5 USD, and 30 USD a month at most. */
  async function newAccount({ isAccepted = true, hasCard = true } = {}) {
    const { prisma, operators } = tested;
    const fields = { name: `account ${randomUUID()}`, admission: "" };
    const { id } = await createAccount(prisma, fields, async () => false);
    await operators.createCardSetup({ account: id });
    if (hasCard) stripe.saveCard(id, { isAccepted });
    if (hasCard) await setAutoTopUp(id);
    return id;
  }

  function setAutoTopUp(account: string, fields: object = {}) {
    const autoTopUp = {
      ...{ isEnabled: true, thresholdNanoUsd: 5n * usd, amountNanoUsd: 10n * usd },
      ...{ monthlyCapNanoUsd: 30n * usd, ...fields },
    };
    return tested.operators.updateAutoTopUp({ account, autoTopUp });
  }

  /** Lets three replicas compare balances at the same time, half a minute after the last time. */
  async function compare() {
    nowMs += halfMinuteMs;
    await Promise.all(Array.from({ length: 3 }, () => topUpDue(parts())));
  }

  const sentFor = (account: string) =>
    stripe.sent.filter(
      ({ path, form }) => path === "/v1/payment_intents" && form.customer === `cus_${account}`,
    );
  const intentsOf = (account: string) =>
    [...stripe.intents.values()].filter(({ customer }) => customer === `cus_${account}`);
  const paymentsOf = (accountId: string) =>
    tested.prisma.payment.findMany({ where: { accountId }, orderBy: { id: "asc" } });

  /** Delivers the events about all payments of an account, which were paid. */
  async function deliver(account: string) {
    for (const intent of intentsOf(account)) {
      const body = stripeEvent("payment_intent.succeeded", intent);
      const signature = signStripeEvent(body, secret);
      await receiveStripeEvent(parts(), { body: Buffer.from(body), signature });
    }
  }

  test("charges the card once for three replicas, and is credited by the event alone", async () => {
    const account = await newAccount();
    await compare();
    const [sent] = sentFor(account);
    const [payment] = await paymentsOf(account);
    expect(sent).toMatchObject({
      idempotencyKey: payment?.id,
      form: {
        ...{ amount: "1000", currency: "usd", off_session: "true", confirm: "true" },
        "metadata[tollgate_payment]": payment?.id,
      },
    });
    for (let round = 0; round < 3; round += 1) await compare();
    expect(intentsOf(account)).toHaveLength(1);
    expect(balances.get(account)).toBeUndefined();
    await deliver(account);
    await deliver(account);
    expect(balances.get(account)).toBe(10n * usd);
    expect(await paymentsOf(account)).toMatchObject([
      { kind: "auto", state: "credited", intentId: intentsOf(account)[0]?.id },
    ]);
    for (let round = 0; round < 3; round += 1) await compare();
    expect(intentsOf(account)).toHaveLength(1);
  });

  test("is begun once by calls at the same time", async () => {
    const account = await newAccount();
    const begun = await Promise.all(
      Array.from({ length: 6 }, () => beginPayment(parts(), account)),
    );
    expect(begun.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await paymentsOf(account)).toHaveLength(1);
  });

  test("pays once although the response about the payment was lost", async () => {
    const account = await newAccount();
    // The library repeats the request once.
    stripe.losses.left = 2;
    await compare();
    expect(await paymentsOf(account)).toMatchObject([{ state: "open", intentId: null }]);
    await compare();
    const [intent, ...others] = intentsOf(account);
    expect(others).toEqual([]);
    expect(await paymentsOf(account)).toMatchObject([{ state: "open", intentId: intent?.id }]);
    await deliver(account);
    expect(balances.get(account)).toBe(10n * usd);
  });

  test("finds a payment whose response was lost a day ago, and does not send it again", async () => {
    const account = await newAccount();
    stripe.losses.left = 2;
    await compare();
    const sent = sentFor(account).length;
    const [intent] = intentsOf(account);
    Object.assign(intent ?? {}, { created: Math.floor(nowMs / 1_000) });
    nowMs += 24 * hourMs;
    await compare();
    expect(sentFor(account)).toHaveLength(sent);
    expect(await paymentsOf(account)).toMatchObject([{ state: "credited", intentId: intent?.id }]);
    expect(balances.get(account)).toBe(10n * usd);
    // One that Stripe does not have has failed, and another one is made an hour later.
    balances.set(account, 0n);
    await beginPayment(parts(), account);
    nowMs += 24 * hourMs;
    await compare();
    expect(await paymentsOf(account)).toMatchObject([{}, { state: "failed", intentId: null }]);
    expect(intentsOf(account)).toHaveLength(1);
  });

  test("stops after two declines, warns, and resumes when it is set again", async () => {
    const account = await newAccount({ isAccepted: false });
    for (let round = 0; round < 4; round += 1) await compare();
    expect(await paymentsOf(account)).toMatchObject([
      { state: "failed", problem: "Your card was declined." },
    ]);
    const { operators, prisma } = tested;
    expect(await operators.getAutoTopUp({ account })).toMatchObject({ stopReason: "" });
    nowMs += hourMs;
    await compare();
    nowMs += 2 * hourMs;
    for (let round = 0; round < 4; round += 1) await compare();
    expect(intentsOf(account)).toHaveLength(2);
    const reason = "The last 2 payments failed. Your card was declined.";
    const shown = await operators.getAutoTopUp({ account });
    expect(shown).toMatchObject({ stopReason: reason, paidNanoUsd: 0n });
    const slots = {} as Client<typeof SlotService>;
    await checkWarnings({ ...parts(), slots, mailing: undefined, webhooks: undefined });
    const { warnings } = await operators.listWarnings({ account, onlyOpen: true });
    expect(warnings).toMatchObject([
      { title: "Automatic top-ups have stopped", text: expect.stringContaining(reason) },
    ]);
    stripe.saveCard(account);
    await compare();
    expect(intentsOf(account)).toHaveLength(2);
    await setAutoTopUp(account);
    await compare();
    await deliver(account);
    expect(balances.get(account)).toBe(10n * usd);
    expect(await prisma.auditRecord.count({ where: { action: "UpdateAutoTopUp" } })).toBeTruthy();
  });

  test("pays no more than its cap in a month", async () => {
    const account = await newAccount();
    for (let round = 0; round < 5; round += 1) {
      balances.set(account, 0n);
      await compare();
      await deliver(account);
    }
    expect(intentsOf(account)).toHaveLength(3);
    expect(await tested.operators.getAutoTopUp({ account })).toMatchObject({
      paidNanoUsd: 30n * usd,
      card: { brand: "visa", lastFour: "4242" },
    });
    balances.set(account, 0n);
    nowMs = Date.UTC(2031, 5, 1);
    await compare();
    expect(intentsOf(account)).toHaveLength(4);
  });

  test.each([
    ["that was not credited", { state: "refused", problem: "The wallet is full." }],
    ["that is disputed", { disputedNanoUsd: 10n * usd }],
  ])("stops after a payment %s", async (_name, data) => {
    const account = await newAccount();
    await compare();
    await deliver(account);
    await tested.prisma.payment.updateMany({ where: { accountId: account }, data });
    balances.set(account, 0n);
    nowMs += 2 * hourMs;
    await compare();
    expect(intentsOf(account)).toHaveLength(1);
    const { stopReason } = await tested.operators.getAutoTopUp({ account });
    expect(stopReason).not.toBe("");
  });

  test("is made for no account that is frozen or closed, or has it off", async () => {
    const { prisma, operators } = tested;
    const [frozen, closed, off] = [await newAccount(), await newAccount(), await newAccount()];
    await prisma.account.update({ where: { id: frozen }, data: { frozenAt: now() } });
    // Its payment was begun before it was closed.
    await beginPayment(parts(), closed);
    await prisma.account.update({ where: { id: closed }, data: { closedAt: now() } });
    await setAutoTopUp(off, { isEnabled: false });
    await compare();
    for (const account of [frozen, closed, off]) expect(sentFor(account)).toEqual([]);
    const open = await newAccount();
    await operators.closeAccount({ account: open }).catch(() => undefined);
    expect(await prisma.autoTopUp.findUnique({ where: { accountId: open } })).toBeNull();
  });

  test("needs a card, and amounts that a top-up may have", async () => {
    const account = await newAccount({ hasCard: false });
    await expect(setAutoTopUp(account)).rejects.toMatchObject({ param: "is_enabled" });
    stripe.saveCard(account);
    for (const [fields, param] of [
      [{ amountNanoUsd: usd / 2n }, "amount"],
      [{ thresholdNanoUsd: 0n }, "threshold"],
      [{ monthlyCapNanoUsd: 9n * usd }, "monthly_cap"],
    ] as const) {
      await expect(setAutoTopUp(account, fields)).rejects.toMatchObject({ param });
    }
    await setAutoTopUp(account);
    const { url } = await tested.operators.createPortalSession({ account });
    expect(url).toBe(`https://portal.test/cus_${account}`);
  });

  test("opens no more than twenty pages of Stripe within an hour", async () => {
    // Postgres sets the times of the audit.
    nowMs = Date.now();
    const account = await newAccount();
    for (let opened = 1; opened < 20; opened += 1) {
      await tested.operators.createPortalSession({ account });
    }
    const refused = tested.operators.createCardSetup({ account });
    await expect(refused).rejects.toMatchObject({ code: "rate_limited" });
  });
});
