import { randomUUID } from "node:crypto";
import { freePort } from "@tollgate/local/free-port";
import { PaymentState } from "@tollgate/proto/tollgate/v1/payment";
import {
  type StandInIntent,
  type StripeStandIn,
  signStripeEvent,
  startStripeStandIn,
  stripeEvent,
} from "@tollgate/simulator/stripe-stand-in";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { type OwnStack, startStack, testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const secret = "whsec_new";
const oldSecret = "whsec_old";
const dayMs = 24 * 60 * 60 * 1_000;
const usd = 1_000_000_000n;

describe("a payment by Stripe", () => {
  let stack: OwnStack;
  let stripe: StripeStandIn;
  /** Where the two replicas take webhooks. */
  let receivers: string[];

  beforeAll(async () => {
    stripe = await startStripeStandIn();
    const listens = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    receivers = listens.map((listen) => `http://${listen}/webhooks/stripe`);
    stack = await startStack({
      TOLLGATE_STRIPE_KEY: "sk_test_stand_in",
      TOLLGATE_STRIPE_WEBHOOK_SECRET: `${secret},${oldSecret}`,
      TOLLGATE_STRIPE_URL: stripe.url,
      TOLLGATE_CONSOLE_URL: "https://console.example.com",
      TOLLGATE_TOP_UPS: "1-500",
      TOLLGATE_WEBHOOK_LISTEN: listens[0],
    });
    await stack.addReplica({ TOLLGATE_WEBHOOK_LISTEN: listens[1] });
  });

  afterAll(async () => {
    const { result } = await stack.operator.verifyLedger({});
    expect(result?.discrepancies).toEqual([]);
    await stack.stop();
    await stripe.close();
  });

  async function newAccount() {
    const { account } = await stack.operator.createAccount({ name: randomUUID() });
    return account?.id ?? "";
  }

  /** Begins a payment of a new account, which is not paid yet. */
  async function begin(cents = 1_000) {
    const account = await newAccount();
    const amountNanoUsd = BigInt(cents) * 10_000_000n;
    const { payment } = await stack.operator.createCheckout({ account, amountNanoUsd });
    return { account, paymentId: payment?.id ?? "", cents };
  }

  /** Begins a payment that is paid, and whose event was delivered. */
  async function credited(cents = 1_000) {
    const begun = await begin(cents);
    const intent = stripe.pay(begun.paymentId, cents);
    expect(await deliver(stripeEvent("payment_intent.succeeded", intent))).toBe(200);
    return { ...begun, intent };
  }

  async function deliver(
    body: string,
    { to = receivers[0] ?? "", signature = signStripeEvent(body, secret) } = {},
  ): Promise<number> {
    const headers = { "stripe-signature": signature, "content-type": "application/json" };
    const response = await fetch(to, { method: "POST", headers, body });
    await response.text();
    return response.status;
  }

  async function walletOf(account: string) {
    const { wallet } = await stack.operator.readWallet({ account });
    return { balance: wallet?.balanceNanoUsd, debt: wallet?.debtNanoUsd };
  }

  async function paymentOf(account: string) {
    const { payments } = await stack.operator.listPayments({ account });
    return payments[0];
  }

  const completed = (intent: StandInIntent, status = "paid") => {
    const { id, metadata } = intent;
    const session = {
      object: "checkout.session",
      payment_intent: id,
      payment_status: status,
      metadata,
    };
    return stripeEvent("checkout.session.completed", session);
  };

  test("is opened on a page of Stripe for its amount in USD, and credits nothing yet", async () => {
    const { account, paymentId } = await begin(2_550);
    const sent = stripe.sent.find(({ idempotencyKey }) => idempotencyKey === paymentId);
    expect(sent).toMatchObject({
      path: "/v1/checkout/sessions",
      form: {
        mode: "payment",
        customer: expect.stringMatching(/^cus_/),
        client_reference_id: account,
        "line_items[0][price_data][currency]": "usd",
        "line_items[0][price_data][unit_amount]": "2550",
        "adaptive_pricing[enabled]": "false",
        "metadata[tollgate_payment]": paymentId,
        "payment_intent_data[metadata][tollgate_payment]": paymentId,
        success_url: expect.stringContaining("https://console.example.com/"),
      },
    });
    expect(await walletOf(account)).toEqual({ balance: 0n, debt: 0n });
    expect(await paymentOf(account)).toMatchObject({ state: PaymentState.OPEN });
    for (const amountNanoUsd of [0n, usd / 2n, 501n * usd, usd + 1_000n]) {
      const refused = stack.operator.createCheckout({ account, amountNanoUsd });
      await expect(refused).rejects.toMatchObject({ code: "invalid_param", param: "amount" });
    }
  });

  test("is credited once, whichever events say it, in any order and repeated", async () => {
    const { account, paymentId } = await begin();
    const intent = stripe.pay(paymentId, 1_000);
    const succeeded = stripeEvent("payment_intent.succeeded", intent);
    const processing = stripeEvent("payment_intent.processing", {
      ...intent,
      status: "processing",
    });
    for (const body of [succeeded, completed(intent), succeeded, processing, completed(intent)]) {
      expect(await deliver(body)).toBe(200);
    }
    expect(await walletOf(account)).toEqual({ balance: 10n * usd, debt: 0n });
    expect(await paymentOf(account)).toMatchObject({
      state: PaymentState.CREDITED,
      intentId: intent.id,
    });
  });

  test("is credited once where fifty events arrive at once on two replicas", async () => {
    const { account, paymentId } = await begin();
    const intent = stripe.pay(paymentId, 1_000);
    const one = stripeEvent("payment_intent.succeeded", intent);
    const all = Array.from({ length: 50 }, (_, index) => {
      const body = index % 2 === 0 ? one : completed(intent);
      return deliver(body, { to: receivers[index % 4 < 2 ? 0 : 1] ?? "" });
    });
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
    expect(await walletOf(account)).toEqual({ balance: 10n * usd, debt: 0n });
  });

  test("is credited only once it is paid, for instance by a bank transfer days later", async () => {
    const { account, paymentId } = await begin();
    const intent = stripe.pay(paymentId, 1_000, { status: "processing", amount_received: 0 });
    expect(await deliver(completed(intent, "unpaid"))).toBe(200);
    expect(await walletOf(account)).toMatchObject({ balance: 0n });
    intent.last_payment_error = { message: "The transfer was refused." };
    expect(await deliver(stripeEvent("payment_intent.payment_failed", intent))).toBe(200);
    expect(await paymentOf(account)).toMatchObject({
      state: PaymentState.FAILED,
      problem: "The transfer was refused.",
    });
    Object.assign(intent, { status: "succeeded", amount_received: 1_000 });
    // The event is a day old; its delivery is not.
    const session = { object: "checkout.session", payment_intent: intent.id };
    const created = Math.floor((Date.now() - dayMs) / 1_000);
    const late = stripeEvent("checkout.session.async_payment_succeeded", session, { created });
    expect(await deliver(late)).toBe(200);
    expect(await walletOf(account)).toMatchObject({ balance: 10n * usd });
    expect(await paymentOf(account)).toMatchObject({ state: PaymentState.CREDITED, problem: "" });
  });

  test("is not credited by a delivery that Stripe has not signed, or not lately", async () => {
    const { account, paymentId } = await begin();
    const body = stripeEvent("payment_intent.succeeded", stripe.pay(paymentId, 1_000));
    const dayAgo = Math.floor((Date.now() - dayMs) / 1_000);
    const forged = [
      signStripeEvent(body, "whsec_other"),
      signStripeEvent(`${body} `, secret),
      signStripeEvent(body, secret, dayAgo),
      "t=1,v1=00",
      "",
    ];
    for (const signature of forged) expect(await deliver(body, { signature })).toBe(400);
    expect(await walletOf(account)).toMatchObject({ balance: 0n });
    // While a secret is rotated, both are valid.
    expect(await deliver(body, { signature: signStripeEvent(body, oldSecret) })).toBe(200);
    expect(await walletOf(account)).toMatchObject({ balance: 10n * usd });
  });

  test.each([
    ["another amount", { amount_received: 999 }, "9.990000 USD were paid instead of 10.000000"],
    ["another currency", { currency: "eur" }, "It was paid in EUR. The wallet is in USD."],
  ])("of %s is not credited, and operators see why", async (_name, fields, problem) => {
    const { account, paymentId } = await begin();
    const intent = stripe.pay(paymentId, 1_000, fields);
    expect(await deliver(stripeEvent("payment_intent.succeeded", intent))).toBe(200);
    expect(await walletOf(account)).toMatchObject({ balance: 0n });
    expect(await paymentOf(account)).toMatchObject({
      state: PaymentState.REFUSED,
      problem: expect.stringContaining(problem),
    });
    const { discrepancies } = await stack.operator.verifyPayments({});
    expect(discrepancies).toContainEqual(expect.stringMatching(`${intent.id}: not credited.`));
    stripe.intents.delete(intent.id);
  });

  test("of something else, or of a payment that does not exist, is not credited", async () => {
    const { account } = await begin();
    const other = stripe.pay("", 1_000, { metadata: {} });
    expect(await deliver(stripeEvent("payment_intent.succeeded", other))).toBe(200);
    const lost = stripe.pay("payment_of_a_lost_database", 1_000);
    expect(await deliver(stripeEvent("payment_intent.succeeded", lost))).toBe(200);
    expect(await deliver(stripeEvent("invoice.paid", { object: "invoice" }))).toBe(200);
    expect(await walletOf(account)).toMatchObject({ balance: 0n });
    const { discrepancies } = await stack.operator.verifyPayments({});
    expect(discrepancies).toContainEqual(expect.stringMatching(`${lost.id}: Stripe has it`));
    stripe.intents.delete(lost.id);
  });

  test("that is paid a second time for one checkout is credited once", async () => {
    const { account, paymentId, intent } = await credited();
    const second = stripe.pay(paymentId, 1_000);
    expect(await deliver(stripeEvent("payment_intent.succeeded", second))).toBe(200);
    expect(await walletOf(account)).toMatchObject({ balance: 10n * usd });
    expect(await paymentOf(account)).toMatchObject({
      intentId: intent.id,
      problem: expect.stringContaining(`a second time, by ${second.id}`),
    });
    stripe.intents.delete(second.id);
  });

  test("that is refunded in parts is taken back part by part, each once", async () => {
    const { account, intent } = await credited();
    // Stripe repeats the event with the sum of all refunds.
    const refunded = (cents: number) => {
      const charge = { object: "charge", payment_intent: intent.id, amount_refunded: cents };
      return stripeEvent("charge.refunded", charge);
    };
    stripe.refund(intent, 300);
    for (const body of [refunded(300), refunded(300)]) expect(await deliver(body)).toBe(200);
    expect(await walletOf(account)).toMatchObject({ balance: 7n * usd });
    const second = stripe.refund(intent, 200);
    await Promise.all([refunded(500), refunded(500), refunded(300)].map((body) => deliver(body)));
    expect(await walletOf(account)).toEqual({ balance: 5n * usd, debt: 0n });
    expect(await paymentOf(account)).toMatchObject({ refundedNanoUsd: 5n * usd });
    // The bank sends a refund back.
    second.status = "failed";
    expect(await deliver(stripeEvent("refund.failed", second))).toBe(200);
    expect(await walletOf(account)).toEqual({ balance: 7n * usd, debt: 0n });
  });

  test("that is refunded after it was spent is owed, and the next top-up pays it", async () => {
    const { account, intent } = await credited();
    const spent = { account, amountNanoUsd: -8n * usd, reason: "Spent", reference: "spent" };
    await stack.operator.adjustWallet(spent);
    const refund = stripe.refund(intent, 1_000);
    expect(await deliver(stripeEvent("refund.created", refund))).toBe(200);
    expect(await walletOf(account)).toEqual({ balance: 0n, debt: 8n * usd });
    const topUp = { account, amountNanoUsd: 10n * usd, reference: "cash" };
    expect(await stack.operator.topUpWallet(topUp)).toMatchObject({
      wallet: { balanceNanoUsd: 2n * usd },
    });
  });

  test("that is disputed is taken back, and given back once the dispute is won", async () => {
    const { account, intent } = await credited();
    const dispute = stripe.dispute(intent, 1_000);
    dispute.status = "warning_needs_response";
    expect(await deliver(stripeEvent("charge.dispute.created", dispute))).toBe(200);
    // An inquiry moves no money.
    expect(await walletOf(account)).toMatchObject({ balance: 10n * usd });
    dispute.status = "needs_response";
    const created = stripeEvent("charge.dispute.updated", dispute);
    expect(await deliver(created)).toBe(200);
    expect(await walletOf(account)).toMatchObject({ balance: 0n });
    expect(await paymentOf(account)).toMatchObject({ disputedNanoUsd: 10n * usd });
    dispute.status = "won";
    const closed = stripeEvent("charge.dispute.closed", dispute);
    const late = stripeEvent("charge.dispute.created", { ...dispute, status: "needs_response" });
    for (const body of [closed, created, late, closed]) expect(await deliver(body)).toBe(200);
    expect(await walletOf(account)).toEqual({ balance: 10n * usd, debt: 0n });
    expect(await paymentOf(account)).toMatchObject({ disputedNanoUsd: 0n });
  });

  test("is credited once after Postgres was away, which the sender learns", async () => {
    const { account, paymentId } = await begin();
    const body = stripeEvent("payment_intent.succeeded", stripe.pay(paymentId, 1_000));
    const open = await stack.stopDatabase();
    expect(await deliver(body)).toBe(503);
    await open();
    await eventually(async () => expect(await deliver(body)).toBe(200));
    expect(await walletOf(account)).toEqual({ balance: 10n * usd, debt: 0n });
  });

  test("of an account that was closed meanwhile is credited once, and shown", async () => {
    const { account, paymentId } = await begin();
    await stack.operator.closeAccount({ account });
    const body = stripeEvent("payment_intent.succeeded", stripe.pay(paymentId, 1_000));
    for (const to of receivers) expect(await deliver(body, { to })).toBe(200);
    expect(await walletOf(account)).toEqual({ balance: 10n * usd, debt: 0n });
    expect(await paymentOf(account)).toMatchObject({ state: PaymentState.CREDITED });
    const refused = stack.operator.createCheckout({ account, amountNanoUsd: usd });
    await expect(refused).rejects.toMatchObject({ code: "invalid_param", param: "account" });
  });

  test("is made by a saved card when the balance is low, and credited by its event", async () => {
    const account = await newAccount();
    await stack.operator.createCardSetup({ account });
    stripe.saveCard(account);
    const amounts = { thresholdNanoUsd: 5n * usd, amountNanoUsd: 20n * usd };
    const autoTopUp = { isEnabled: true, ...amounts, monthlyCapNanoUsd: 30n * usd };
    await stack.operator.updateAutoTopUp({ account, autoTopUp });
    const intent = await eventually(() => {
      const found = [...stripe.intents.values()].find((one) => one.customer === `cus_${account}`);
      return found ?? Promise.reject(new Error("the card was not charged"));
    });
    expect(await walletOf(account)).toMatchObject({ balance: 0n });
    const body = stripeEvent("payment_intent.succeeded", intent);
    await Promise.all(receivers.map((to) => deliver(body, { to })));
    expect(await walletOf(account)).toEqual({ balance: 20n * usd, debt: 0n });
    const args = ["payments", "auto", "show", account];
    const { stdout } = await runTollgate(stack.operatorAddress, testSecrets, args);
    expect(stdout).toContain("paid this month: 20.000000 of 30.000000 USD\ncard: visa 4242");
  });

  test("whose events were lost is found by a verification, as is one that Stripe lacks", async () => {
    const hourAgo = Math.floor(Date.now() / 1_000) - 3_600;
    const { account, paymentId } = await begin();
    const lost = stripe.pay(paymentId, 1_000, { created: hourAgo });
    const invented = `pi_${randomUUID()}`;
    const topUp = { account, amountNanoUsd: usd, reference: invented };
    await stack.operator.topUpWallet(topUp);
    const verify = (...args: string[]) =>
      runTollgate(stack.operatorAddress, testSecrets, ["payments", "verify", ...args]);
    const { code, stdout } = await verify();
    expect([code, stdout]).toEqual([1, expect.stringContaining("DISCREPANCIES")]);
    expect(stdout).toContain(`${lost.id}: the ledger lacked it; credited 10.000000 USD now`);
    expect(stdout).toContain(
      `${invented}: the ledger credited 1.000000 USD to ${account}, and Stripe does not have it`,
    );
    expect(await walletOf(account)).toEqual({ balance: 11n * usd, debt: 0n });
    const { discrepancies } = (await verify("--json")).json() as { discrepancies: string[] };
    expect(discrepancies.filter((line) => line.includes(lost.id))).toEqual([]);
    const { stdout: list } = await runTollgate(stack.operatorAddress, testSecrets, [
      ...["payments", "list", "--account", account],
    ]);
    expect(list).toMatch(/10\.000000 credited acct_\S+ payment_\w+\n$/);
  });

  test("leaves no secret in the database", async () => {
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    const { rows } = await database.query(
      "SELECT row_to_json(e)::text AS event FROM billing.stripe_event e",
    );
    await database.end();
    const text = JSON.stringify(rows);
    expect(rows.length).toBeGreaterThan(0);
    for (const part of [secret, "sk_test", "v1="]) expect(text).not.toContain(part);
  });
});
