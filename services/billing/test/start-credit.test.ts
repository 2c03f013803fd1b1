import { randomBytes, randomUUID } from "node:crypto";
import { createLog } from "@tollgate/core/log";
import type { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import type { Client } from "@tollgate/rpc/implementation";
import {
  type StripeStandIn,
  signStripeEvent,
  startStripeStandIn,
  stripeEvent,
} from "@tollgate/simulator/stripe-stand-in";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Mailing } from "../src/mail/mailing.ts";
import { createMailTexts, type Mail } from "../src/mail/messages.ts";
import type { SignUpSettings } from "../src/members/sign-up-settings.ts";
import { payCardCredits } from "../src/payments/card-credit.ts";
import { openStripe, type StripeAccess } from "../src/payments/stripe-client.ts";
import { receiveStripeEvent } from "../src/payments/stripe-events.ts";
import { createSealer } from "../src/sealing.ts";
import { hashOf, type IdentityUnderTest, startIdentity } from "./identity-under-test.ts";
import { createLedgerStandIn } from "./ledger-stand-in.ts";

const usd = 1_000_000_000n;
const creditNanoUsd = 5n * usd;
const secret = "whsec_test";
const consoleUrl = "https://console.example.com";
const sealer = createSealer(randomUUID());

describe("a start credit that needs a card", () => {
  let stripe: StripeStandIn;
  let access: StripeAccess;
  let tested: IdentityUnderTest;
  const now = () => new Date();
  const log = createLog("silent");
  const mails: Mail[] = [];
  const { client: ledger, balances } = createLedgerStandIn();
  const credits = {} as Client<typeof CreditService>;

  beforeAll(async () => {
    stripe = await startStripeStandIn();
    const topUps = { least: usd, most: 500n * usd };
    const settings = { key: "sk_test_stand_in", webhookSecrets: [secret], topUps, consoleUrl };
    access = await openStripe(
      { ...settings, url: new URL(stripe.url) },
      { https: undefined, http: undefined, none: "" },
    );
    const mailing: Mailing = {
      ...{ sealer, consoleUrl, customerUrl: consoleUrl, texts: createMailTexts(consoleUrl) },
      outbox: { add: async (_, mail) => void mails.push(mail), wake() {}, async stop() {} },
    };
    const signUp: SignUpSettings = {
      ...{ mode: "open", domains: [], creditNanoUsd, creditNeedsCard: true, termsUrl: "" },
    };
    tested = await startIdentity(now, { stripe: access, ledger, mailing, sealer, signUp });
  });

  afterAll(async () => {
    await tested.stop();
    await stripe.close();
  });

  const newAddress = (host = `${randomUUID()}.example`) => `${randomUUID()}@${host}`;

  /** Signs up with an address. Resolves with the new account. */
  async function signUp(email = newAddress()): Promise<string> {
    const { identity, prisma } = tested;
    const clientAddress = `2001:db8:${randomBytes(2).toString("hex")}::1`;
    await identity.beginSignUp({ email, accountName: randomUUID(), clientAddress });
    const mail = mails.findLast(({ to }) => to === email);
    const [, link = ""] = /#([\w-]{43})/.exec(mail?.text ?? "") ?? [];
    const { identity: signedIn } = await identity.completeSignUp({
      ...{ secretHash: hashOf(link), sessionHash: new Uint8Array(randomBytes(32)) },
      ...{ name: "Ada", password: "correct horse battery" },
    });
    const personId = signedIn?.actor?.id ?? "";
    const { accountId } = await prisma.member.findFirstOrThrow({ where: { personId } });
    return accountId;
  }

  /** Opens the page on which a card is saved, and saves one. */
  async function saveCard(account: string, fields: Parameters<StripeStandIn["saveCard"]>[1] = {}) {
    await tested.operators.createCardSetup({ account });
    return stripe.saveCard(account, fields);
  }

  /** Delivers the event that a card was saved. */
  async function deliver(account: string): Promise<void> {
    const session = { object: "checkout.session", mode: "setup", customer: `cus_${account}` };
    const body = stripeEvent("checkout.session.completed", session);
    const signature = signStripeEvent(body, secret);
    const parts = { prisma: tested.prisma, ledger, credits, access, sealer, log, now };
    await receiveStripeEvent(parts, { body: Buffer.from(body), signature });
  }

  const dueOf = async (account: string) =>
    (await tested.operators.getAutoTopUp({ account })).startCreditNanoUsd;

  test("is due at sign-up, and paid once the card is saved, however often Stripe says so", async () => {
    const account = await signUp();
    expect([await dueOf(account), balances.get(account)]).toEqual([creditNanoUsd, 0n]);
    await deliver(account);
    expect(balances.get(account)).toBe(0n);
    await saveCard(account);
    await Promise.all(Array.from({ length: 6 }, () => deliver(account)));
    expect([await dueOf(account), balances.get(account)]).toEqual([0n, creditNanoUsd]);
    await saveCard(account);
    await deliver(account);
    expect(balances.get(account)).toBe(creditNanoUsd);
  });

  test("is paid for a card once, although many accounts save it at the same time", async () => {
    const fingerprint = randomUUID();
    const accounts = await Promise.all(Array.from({ length: 6 }, () => signUp()));
    for (const account of accounts) await saveCard(account, { fingerprint });
    await Promise.all([...accounts, ...accounts].map(deliver));
    const paid = accounts.filter((account) => balances.get(account) === creditNanoUsd);
    expect(paid).toHaveLength(1);
    const [other = ""] = accounts.filter((account) => !paid.includes(account));
    expect([await dueOf(other), balances.get(other)]).toEqual([creditNanoUsd, 0n]);
    // Another card pays it.
    await saveCard(other);
    await deliver(other);
    expect(balances.get(other)).toBe(creditNanoUsd);
  });

  test("is due once for a mailbox and a domain, with another card, too", async () => {
    const name = randomUUID().slice(0, 8);
    const host = `${randomUUID()}.example`;
    await signUp(`${name}@gmail.com`);
    await signUp(newAddress(host));
    const dotted = `${name.slice(0, 2)}.${name.slice(2)}`;
    for (const email of [`${name}+2@gmail.com`, `${dotted}@googlemail.com`, newAddress(host)]) {
      const account = await signUp(email);
      expect([email, await dueOf(account)]).toEqual([email, 0n]);
      await saveCard(account);
      await deliver(account);
      expect(balances.get(account)).toBe(0n);
    }
  });

  test("is due for neither the address nor the card of an account that was closed", async () => {
    const [email, fingerprint] = [newAddress(), randomUUID()];
    const first = await signUp(email);
    await saveCard(first, { fingerprint });
    await deliver(first);
    await tested.operators.closeAccount({ account: first });
    expect(await dueOf(await signUp(email))).toBe(0n);
    const next = await signUp();
    await saveCard(next, { fingerprint });
    await deliver(next);
    expect(balances.get(next)).toBe(0n);
    // One that is closed before its card was saved.
    const closed = await signUp();
    await saveCard(closed);
    await tested.operators.closeAccount({ account: closed });
    await deliver(closed);
    expect(balances.get(closed)).toBe(0n);
  });

  test("is not paid for a prepaid card", async () => {
    const account = await signUp();
    await saveCard(account, { funding: "prepaid" });
    await deliver(account);
    expect([await dueOf(account), balances.get(account)]).toEqual([creditNanoUsd, 0n]);
  });

  test("is paid by the hourly comparison where the event was lost, also if another card cannot be read", async () => {
    const account = await signUp();
    const unreadable = await signUp();
    for (const one of [account, unreadable]) await saveCard(one);
    const { customers } = access.stripe;
    const retrieve = customers.retrieve.bind(customers);
    const spy = vi.spyOn(customers, "retrieve").mockImplementation(((id: string, query: object) => {
      return id === `cus_${unreadable}` ? Promise.reject(new Error("away")) : retrieve(id, query);
    }) as typeof retrieve);
    onTestFinished(() => spy.mockRestore());
    const hourAgo = new Date(Date.now() - 3_600_000);
    const parts = { prisma: tested.prisma, ledger, access, sealer, log };
    await Promise.all([payCardCredits(parts, hourAgo), payCardCredits(parts, hourAgo)]);
    expect([account, unreadable].map((one) => balances.get(one))).toEqual([creditNanoUsd, 0n]);
  });

  test("stores no fingerprint and no address in the clear", async () => {
    const rows = await tested.prisma.startCredit.findMany({});
    expect(rows.length).toBeGreaterThan(5);
    for (const { subject } of rows) expect(subject).toMatch(/^[\w-]{43}$/);
  });
});
