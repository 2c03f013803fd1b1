import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { type OwnStack, startStack } from "../src/stack.ts";
import { findStripeMock, type StripeMock, startStripeMock } from "../src/stripe-mock.ts";

const usd = 1_000_000_000n;
const program = await findStripeMock();
const name = "what is sent to Stripe";

if (program === undefined) describe.skip(`${name}: needs Go, which builds stripe-mock`, () => {});
else describe(name, () => tests(program));

function tests(found: string): void {
  let mock: StripeMock;
  let stack: OwnStack;

  beforeAll(async () => {
    mock = await startStripeMock(found);
    stack = await startStack({
      TOLLGATE_STRIPE_KEY: "sk_test_123",
      TOLLGATE_STRIPE_WEBHOOK_SECRET: "whsec_test",
      TOLLGATE_STRIPE_URL: mock.url,
      TOLLGATE_CONSOLE_URL: "https://console.example.com",
      TOLLGATE_TOP_UPS: "1-500",
    });
  });

  afterAll(async () => {
    const { result } = await stack.operator.verifyLedger({});
    expect(result?.discrepancies).toEqual([]);
    await stack.stop();
    mock.stop();
  });

  async function newAccount() {
    const { account } = await stack.operator.createAccount({ name: randomUUID() });
    return account?.id ?? "";
  }

  test("for a checkout, a saved card and the portal is what Stripe's API describes", async () => {
    const account = await newAccount();
    const { operator } = stack;
    const { url } = await operator.createCheckout({ account, amountNanoUsd: 25n * usd });
    expect(url).toMatch(/^https:/);
    for (const page of [operator.createCardSetup, operator.createPortalSession]) {
      expect((await page({ account })).url).toMatch(/^https:/);
    }
    const amounts = { thresholdNanoUsd: 5n * usd, amountNanoUsd: 20n * usd };
    const autoTopUp = { isEnabled: true, ...amounts, monthlyCapNanoUsd: 30n * usd };
    await operator.updateAutoTopUp({ account, autoTopUp });
    await eventually(async () => {
      const { payments } = await operator.listPayments({ account });
      const auto = payments.find(({ kind }) => kind === "auto");
      expect(auto).toMatchObject({ problem: "", intentId: expect.stringMatching(/^pi_/) });
    });
    const { payments, discrepancies } = await operator.verifyPayments({ days: 1 });
    // The mock lists a payment of its own, which the gateway did not begin.
    expect([payments, discrepancies]).toEqual([0n, []]);
  });

  test("is refused by the mock where the API does not have it", async () => {
    const form = new URLSearchParams({ amount: "1000", currency: "usd", invented: "1" });
    const authorization = `Basic ${Buffer.from("sk_test_123:").toString("base64")}`;
    const url = `${mock.url}/v1/payment_intents`;
    const response = await fetch(url, { method: "POST", body: form, headers: { authorization } });
    expect(response.status).toBe(400);
  });
}
