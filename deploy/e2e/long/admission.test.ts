import { afterAll, beforeAll, expect, test } from "vitest";
import { expectBalancedLedger, readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { randomOf, type SeededRandom } from "../src/random.ts";
import { eventsOf, simulate } from "../src/request.ts";
import { type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

const seed = Number(process.env.TOLLGATE_TEST_SEED ?? 1);
const total = 600;
const concurrency = 24;
/** The chat service is killed whenever so many requests have begun. */
const killedEvery = 150;

const policies = ["likely", "strict", "whole"] as const;
const wallets = [0.2, 5];

interface Customer extends TestAccount {
  policy: (typeof policies)[number];
}

/** A response that reported its cost. */
interface Paid {
  customer: Customer;
  index: number;
  requestId: string;
  cost: bigint;
}

let stack: OwnStack;

beforeAll(async () => {
  // A hold outlives the restart of a killed process, which then delivers the events on its disk.
  stack = await startStack({ TOLLGATE_HOLD_SECONDS: "30" });
});

afterAll(() => stack.stop());

test(`${total} parallel calls are charged what they report, under every admission policy, while processes are killed`, async () => {
  const customers: Customer[] = [];
  for (const policy of policies) {
    for (const usd of wallets) {
      customers.push({ ...(await stack.newAccount(usd, policy)), policy });
    }
  }
  const paid: Paid[] = [];
  const ends = new Map<string, number>();
  let next = 0;
  let killing: Promise<void> = Promise.resolve();

  async function callSome(): Promise<void> {
    while (next < total) {
      const index = next++;
      if (index % killedEvery === killedEvery - 1) killing = killing.then(() => stack.killChat());
      await killing;
      const random = randomOf(seed, "admission", index);
      const customer = random.pick(customers);
      const end = await call(random, customer, index, paid);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
  }

  await Promise.all(Array.from({ length: concurrency }, callSome));
  await killing;
  await expectBalancedLedger(stack, 120_000);
  for (const customer of customers) {
    const { balance, held, entries } = await readWalletRow(stack, customer);
    expect([held, balance >= 0n], `seed ${seed}`).toEqual([0n, true]);
    for (const { index, requestId, cost } of paid.filter((one) => one.customer === customer)) {
      const amounts = entries.filter((entry) => entry.requestId === requestId);
      const label = `request ${index} of seed ${seed}, ${customer.policy}`;
      expect(amounts, label).toEqual([expect.objectContaining({ amount: -cost })]);
    }
    if (customer.policy !== "whole") continue;
    expect(
      entries.filter(({ uncollected }) => uncollected > 0n),
      `seed ${seed}`,
    ).toEqual([]);
  }
  // Each way to end occurred.
  for (const end of ["stop", "length", "402"]) expect(ends.get(end), end).toBeGreaterThan(0);
}, 600_000);

/** Sends one random call. Returns its finish reason, its status, or that it broke. */
async function call(random: SeededRandom, customer: Customer, index: number, paid: Paid[]) {
  const isStream = random.percent(60);
  const bytes = random.integer(1, 20_000);
  const limit = random.pick([undefined, 40, 3_000, 9_000]);
  // A prompt with a token for each byte costs more than is likely.
  const usage = random.percent(20) ? `&usage=${bytes},10` : "";
  const chunks = random.integer(1, 40);
  const pace = isStream ? `&chunks=${chunks}&gap_ms=${random.integer(1, 25)}` : "";
  const tokens = random.pick([10, 500, 5_000, 8_000]);
  const command = `tokens=${usage === "" ? tokens : 10}${pace}${usage}`;
  const body = {
    model: "test-agent",
    messages: [{ role: "user", content: "p".repeat(bytes) }],
    stream: isStream,
    ...(limit === undefined ? {} : { max_tokens: limit }),
    ...simulate(`${command}&delay_ms=${random.integer(0, 400)}`),
  };
  try {
    const response = await fetch(`${stack.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${customer.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 200) return String(response.status);
    const events = isStream ? eventsOf(text) : [JSON.parse(text)];
    const reported = costIn(events);
    if (reported === undefined) return "broken";
    const requestId = response.headers.get("x-request-id") ?? "";
    paid.push({ customer, index, requestId, cost: reported });
    return finishIn(events);
  } catch {
    return "broken";
  }
}

interface Completion {
  choices?: { finish_reason?: string | null }[];
  usage?: { cost?: number };
}

function costIn(events: unknown[]): bigint | undefined {
  const costs = (events as Completion[]).map(({ usage }) => usage?.cost);
  const cost = costs.find((one) => one !== undefined);
  return cost === undefined ? undefined : nanoUsd(cost);
}

function finishIn(events: unknown[]): string {
  const choices = (events as Completion[]).flatMap((event) => event.choices ?? []);
  return choices.map(({ finish_reason }) => finish_reason).find((reason) => reason) ?? "none";
}
