import { withKeySlots } from "@tollgate/catalog/key-pool";
import type { Slot } from "@tollgate/catalog/model";
import { describe, expect, test } from "vitest";
import { LoadBalancer, type SharedChain } from "./load-balancer.ts";
import { SlotUse } from "./slot-load.ts";

function slotOf(name: string, more: Partial<Slot> = {}): Slot {
  return { id: `${name}/model`, tier: 1, ...more } as Slot;
}

/** Returns numbers from 0 and below 1, always the same (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Creates a balancer with a clock that the test advances. */
function world() {
  let nowMs = 0;
  const balancer = new LoadBalancer(() => nowMs, randomFrom(7));
  const begin = async (slot: Slot, tokens: number) => {
    const use = await balancer.take(slot, { accountId: "a", tokens });
    if (typeof use === "number") throw new Error(`full for ${use} ms`);
    return use;
  };
  const firstOf = (model: SharedChain, affinity?: string) => balancer.order(model, affinity)[0];
  return { balancer, begin, firstOf, pass: (ms: number) => (nowMs += ms) };
}

const picks = 10_000;
const weighted = {
  chain: [
    slotOf("a", { weight: 5 }),
    slotOf("b", { weight: 3 }),
    slotOf("c", { weight: 1 }),
    slotOf("d"),
  ],
  balance: "weight",
} as const satisfies SharedChain;
const total = 10;

/** Expects each slot's share of the picks to be its weight, within 2 % of all picks. */
function expectShares(pick: (index: number) => Slot | undefined): void {
  const counts = new Map<string | undefined, number>();
  for (let index = 0; index < picks; index += 1) {
    const id = pick(index)?.id;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  for (const { id, weight = 1 } of weighted.chain) {
    const share = (counts.get(id) ?? 0) / picks;
    expect(Math.abs(share - weight / total), `${id}: ${share}`).toBeLessThan(0.02);
  }
}

describe("10,000 requests of a tier are divided by the weights", () => {
  test("without an affinity", () => {
    const { firstOf } = world();
    expectShares(() => firstOf(weighted));
  });

  test.each([
    ["that differ in a number", (index: number) => `acct user-${index}`],
    ["that are random", (index: number) => String(randomFrom(index)())],
  ])("with affinities %s", (_, affinityOf) => {
    const { firstOf } = world();
    expectShares((index) => firstOf(weighted, affinityOf(index)));
  });

  test("and those of a slot that is out by the weights of the others", () => {
    const { balancer } = world();
    const [b, c, d] = ["b/model", "c/model", "d/model"].map((second) => {
      const orders = Array.from({ length: picks }, (_, index) =>
        balancer.order(weighted, `user-${index}`),
      ).filter(([first]) => first?.id === "a/model");
      return orders.filter(([, next]) => next?.id === second).length / orders.length;
    });
    expect([b, c, d].map((share = 0) => Math.round(share * 20) / 20)).toEqual([0.6, 0.2, 0.2]);
  });
});

describe("requests with the same affinity", () => {
  test("have one order of slots, also in another process", () => {
    const [one, other] = [world(), world()];
    for (let user = 0; user < 200; user += 1) {
      const order = one.balancer.order(weighted, `user-${user}`);
      expect(one.balancer.order(weighted, `user-${user}`)).toEqual(order);
      expect(other.balancer.order(weighted, `user-${user}`)).toEqual(order);
    }
  });

  test("keep their slot where another slot is added or removed", () => {
    const { firstOf } = world();
    const more = { ...weighted, chain: [...weighted.chain, slotOf("e", { weight: 10 })] };
    for (let user = 0; user < 200; user += 1) {
      const moved = firstOf(more, `user-${user}`);
      if (moved?.id !== "e/model") expect(firstOf(weighted, `user-${user}`)).toBe(moved);
    }
  });
});

test("tiers stand in order, and a slot without a tier is one of its own", () => {
  const chain = [slotOf("a"), slotOf("b"), slotOf("c", { tier: undefined }), slotOf("d")];
  const model = { chain, balance: "weight" } as const;
  const { balancer } = world();
  for (let pick = 0; pick < 20; pick += 1) {
    const ids = balancer.order(model, undefined).map(({ id }) => id[0]);
    expect(ids.slice(0, 2).sort()).toEqual(["a", "b"]);
    expect(ids.slice(2)).toEqual(["c", "d"]);
  }
});

test("a chain that shares nothing keeps its order", () => {
  const chain = [slotOf("a", { tier: undefined }), slotOf("b", { tier: undefined })];
  expect(world().balancer.order({ chain }, undefined)).toBe(chain);
});

describe("10,000 requests of a provider's keys", () => {
  const keys = [
    { name: "main", weight: 3 },
    { name: "second", weight: 1 },
  ];
  const slot = withKeySlots({ ...slotOf("a"), provider: { name: "a", keys } } as unknown as Slot);

  test.each([
    ["without an affinity", () => undefined],
    ["with affinities", (index: number) => `acct user-${index}`],
  ])("are divided by their weights: %s", (_, affinityOf) => {
    const { balancer } = world();
    let mains = 0;
    for (let index = 0; index < picks; index += 1) {
      const [first] = balancer.orderKeys(slot, affinityOf(index));
      if (first?.provider.key?.name === "main") mains += 1;
    }
    expect(Math.abs(mains / picks - 0.75)).toBeLessThan(0.02);
  });
});

describe("least_busy", () => {
  const [a, b] = [slotOf("a", { weight: 2, limits: {} }), slotOf("b", { limits: {} })];
  const model = { chain: [a, b], balance: "least_busy" } as const;

  test("sends a call to the slot with the fewest in progress for its weight", async () => {
    const { begin, firstOf } = world();
    expect(firstOf({ ...model, chain: [b, a] })).toBe(a);
    const uses = [await begin(a, 0), await begin(a, 0)];
    expect(firstOf(model)).toBe(b);
    await begin(b, 0);
    expect(firstOf({ ...model, chain: [b, a] })).toBe(a);
    await begin(b, 0);
    for (const use of uses) use.end();
    expect(firstOf({ ...model, chain: [b, a] })).toBe(a);
  });

  test("keeps an affinity", async () => {
    const { begin, firstOf } = world();
    const slot = firstOf(model, "user") as Slot;
    for (let call = 0; call < 10; call += 1) await begin(slot, 0);
    expect(firstOf(model, "user")).toBe(slot);
  });
});

describe("latency", () => {
  const [a, b] = [slotOf("a", { limits: {} }), slotOf("b", { limits: {} })];
  const model = { chain: [a, b], balance: "latency" } as const;

  test("sends calls to the slot that responds faster, until it has as many more in progress", async () => {
    const { begin, firstOf, pass } = world();
    for (const [slot, ms] of [
      [a, 100],
      [b, 250],
    ] as const) {
      const use = await begin(slot, 0);
      pass(ms);
      use.respond();
      use.end();
    }
    expect(firstOf(model)).toBe(a);
    await begin(a, 0);
    expect(firstOf(model)).toBe(a);
    await begin(a, 0);
    expect(firstOf(model)).toBe(b);
  });

  test("calls a slot again that was slow some time ago", async () => {
    const { begin, firstOf, pass } = world();
    const measure = async (slot: Slot, ms: number) => {
      const use = await begin(slot, 0);
      pass(ms);
      use.respond();
      use.end();
    };
    await measure(b, 400);
    for (let second = 0; second < 10; second += 1) {
      await measure(a, 100);
      expect(firstOf(model)).toBe(a);
      pass(900);
    }
    for (let second = 0; second < 20; second += 1) {
      await measure(a, 100);
      pass(900);
    }
    expect(firstOf(model)).toBe(b);
  });
});

describe("the limits of a slot", () => {
  test("of requests per minute count each call of the trailing minute", async () => {
    const slot = slotOf("a", { limits: { requestsPerMinute: 2 } });
    const { balancer, begin, pass } = world();
    for (let call = 0; call < 2; call += 1) {
      expect(balancer.waitMs(slot, 0)).toBe(0);
      (await begin(slot, 0)).end();
    }
    expect(balancer.waitMs(slot, 0)).toBe(61_000);
    pass(60_999);
    expect(balancer.waitMs(slot, 0)).toBe(1);
    pass(1);
    expect(balancer.waitMs(slot, 0)).toBe(0);
  });

  test("of tokens per minute count what a call is likely to use, then what it has used", async () => {
    const slot = slotOf("a", { limits: { tokensPerMinute: 1_000 } });
    const { balancer, begin, pass } = world();
    const use = await begin(slot, 900);
    expect(balancer.waitMs(slot, 100)).toBe(0);
    expect(balancer.waitMs(slot, 101)).toBe(61_000);
    use.end(300);
    expect(balancer.waitMs(slot, 700)).toBe(0);
    (await begin(slot, 100)).end(700);
    expect(balancer.waitMs(slot, 1)).toBe(61_000);
    pass(61_000);
    // More than the limit, alone.
    expect(balancer.waitMs(slot, 5_000)).toBe(0);
    await begin(slot, 5_000);
    expect(balancer.waitMs(slot, 1)).toBe(61_000);
  });

  test("of calls in progress count a call until it ends, once", async () => {
    const slot = slotOf("a", { limits: { parallel: 2 } });
    const { balancer, begin } = world();
    const [first] = [await begin(slot, 0), await begin(slot, 0)];
    expect(balancer.waitMs(slot, 0)).toBe(1_000);
    first?.end();
    first?.end();
    expect(balancer.waitMs(slot, 0)).toBe(0);
    await begin(slot, 0);
    expect(balancer.waitMs(slot, 0)).toBe(1_000);
  });

  test("are those of all models with the slot", async () => {
    const { balancer, begin } = world();
    await begin(slotOf("a", { limits: { parallel: 5 } }), 0);
    expect(balancer.waitMs(slotOf("a", { limits: { parallel: 1 } }), 0)).toBe(1_000);
  });
});

describe("the limits of a slot that all processes count", () => {
  const slot = slotOf("a", { limits: { parallel: 1 } });
  const call = { accountId: "a", tokens: 5 };

  function sharedWorld(results: (number | undefined)[]) {
    const ends: (number | undefined)[] = [];
    const asked: Slot[] = [];
    const balancer = new LoadBalancer(() => 0, Math.random, {
      async take(of) {
        asked.push(of);
        const result = results.shift();
        return result === 0 ? { end: (tokens) => void ends.push(tokens) } : result;
      },
    });
    return { asked, balancer, ends };
  }

  test("decide, whatever this process has counted", async () => {
    const { balancer, ends } = sharedWorld([0, 0, 700]);
    const uses = [await balancer.take(slot, call), await balancer.take(slot, call)];
    expect(await balancer.take(slot, call)).toBe(700);
    expect(balancer.waitMs(slot, 0)).toBe(700);
    for (const use of uses) if (typeof use !== "number") use.end(3);
    expect(ends).toEqual([3, 3]);
  });

  test("count the calls of this process while they cannot be counted together", async () => {
    const { balancer } = sharedWorld([undefined, undefined]);
    expect(await balancer.take(slot, call)).toBeInstanceOf(SlotUse);
    expect(await balancer.take(slot, call)).toBe(1_000);
  });

  test("do not count the calls of a slot that is only balanced by its load", async () => {
    const { asked, balancer } = sharedWorld([]);
    await balancer.take(slotOf("a", { limits: {} }), call);
    expect(asked).toEqual([]);
  });
});
