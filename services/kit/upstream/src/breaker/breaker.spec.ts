import type { Provider, Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import type { Environment } from "@tollgate/core/config";
import { describe, expect, test } from "vitest";
import { type FailureKind, SlotFailure, type SlotFailureDetails } from "../failure.ts";
import { createBreakers, isDenied } from "./breaker.ts";

const kind = { variables: undefined } as ProviderKind;

function slotOf(model: string, provider: Partial<Provider> = {}): Slot {
  const own = { name: "near", kind, apiKeyEnv: "KEY", baseUrl: "http://near", ...provider };
  return { id: `${own.name}/${model}`, provider: own } as Slot;
}

const slot = slotOf("model");
const trouble = { status: 500 };
const unreached = { meaning: "unreachable" } as const;
const refused = { status: 401, said: "No such key." };

/** Creates breakers with a clock that the test advances. */
function world() {
  let nowMs = 1_000_000;
  const changes: unknown[] = [];
  const breakers = createBreakers(() => nowMs, {
    slotChanged: (slotId, isOut) => changes.push([slotId, isOut]),
    keyChanged: ({ provider, said }, isRefused) => changes.push([provider, said, isRefused]),
  });
  /** Calls the slot if it is admitted, and returns whether it was. */
  function call(outcome: SlotFailureDetails | "served" | "abandoned", account = "a", at = slot) {
    const permit = breakers.admit(at, account);
    if (isDenied(permit)) return false;
    if (outcome === "served") breakers.succeeded(at, account, permit);
    else if (outcome === "abandoned") breakers.abandoned(at, account, permit);
    else breakers.failed(at, account, permit, failureOf(outcome));
    return true;
  }
  return {
    breakers,
    changes,
    call,
    fail(times: number, account = "a", outcome: SlotFailureDetails = trouble) {
      for (let time = 0; time < times; time += 1) expect(call(outcome, account)).toBe(true);
    },
    admits: (account = "a", at = slot) => call("abandoned", account, at),
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

function failureOf(details: SlotFailureDetails): SlotFailure {
  const how: FailureKind = details.status === undefined ? "unreachable" : "rejected";
  return new SlotFailure(how, "failed", details);
}

describe("trouble", () => {
  test("five failures in a row take the slot out for the account alone", () => {
    const { fail, admits } = world();
    fail(4);
    expect(admits()).toBe(true);
    fail(1);
    expect(admits()).toBe(false);
    expect(admits("b")).toBe(true);
    expect(admits("a", slotOf("other"))).toBe(true);
  });

  test("a success resets the count of failures, and what does not count leaves it", () => {
    const { call, fail, admits } = world();
    fail(4);
    call("served");
    fail(4);
    for (const status of [400, 403, 404, 409, 413, 422, 425]) call({ status });
    call({ meaning: "too_large", status: 429 });
    expect(admits()).toBe(true);
    fail(1);
    expect(admits()).toBe(false);
  });

  test("an account that alone uses the gateway has one trial call a second, then ever fewer", () => {
    const { call, fail, admits, pass } = world();
    fail(5);
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      pass(pauseMs - 1);
      expect(admits()).toBe(false);
      pass(1);
      expect(call(trouble)).toBe(true);
    }
    pass(30_000);
    expect(call("served")).toBe(true);
    fail(4);
    expect(admits()).toBe(true);
  });

  test("a slot that is out gets one trial call at a time", () => {
    const { breakers, fail, pass } = world();
    fail(5);
    pass(1_000);
    const trial = breakers.admit(slot, "a");
    expect(isDenied(trial)).toBe(false);
    expect(breakers.admit(slot, "a")).toBe("out");
    breakers.abandoned(slot, "a", trial);
    expect(isDenied(breakers.admit(slot, "a"))).toBe(false);
  });

  test("two accounts with five failures take it out for all whose calls fail, and for no other", () => {
    const { fail, admits, call, pass } = world();
    fail(5, "a");
    fail(1, "c");
    expect(admits("c")).toBe(true);
    fail(5, "b");
    expect(admits("c")).toBe(false);
    for (let time = 0; time < 10; time += 1) expect(admits("innocent")).toBe(true);
    expect(call(trouble, "innocent")).toBe(true);
    expect(admits("innocent")).toBe(false);
    pass(1_000);
    expect(admits("innocent")).toBe(true);
  });

  test("many failures of one account are no failures of two", () => {
    const { call, admits, pass } = world();
    for (let time = 0; time < 200; time += 1) {
      call(trouble, "a");
      pass(500);
    }
    call(trouble, "b");
    expect(admits("b")).toBe(true);
  });

  test("an account that was served within 30 seconds keeps the slot in for others", () => {
    const { call, fail, admits, pass } = world();
    call("served", "served");
    fail(1, "victim");
    for (const attacker of ["a", "b", "c"]) fail(5, attacker);
    expect(admits("victim")).toBe(true);
    pass(29_999);
    expect(admits("victim")).toBe(true);
    pass(1);
    call(trouble, "victim");
    expect(admits("victim")).toBe(false);
  });

  test("a slot that was out for all and serves again is tried by all at once", () => {
    const { call, fail, admits, pass } = world();
    fail(5, "a");
    fail(5, "b");
    pass(500);
    expect(admits("a")).toBe(false);
    expect(call("served", "other")).toBe(true);
    expect(call("served", "a")).toBe(true);
    expect(admits("b")).toBe(true);
  });

  test("the streaks of 4,096 accounts are kept, and of them those that failed last", () => {
    const { fail, admits } = world();
    fail(5, "first");
    for (let account = 0; account < 4_095; account += 1) fail(1, `account-${account}`);
    expect(admits("first")).toBe(false);
    fail(1, "one-more");
    expect(admits("first")).toBe(true);
  });

  test("the slot is shown as out while nobody is served, and as back with the first success", () => {
    const { breakers, call, changes, fail, pass } = world();
    fail(5);
    expect(breakers.open()).toEqual([slot.id]);
    pass(1_000);
    fail(1);
    expect(changes).toEqual([[slot.id, true]]);
    call("served", "b");
    expect(changes).toEqual([
      [slot.id, true],
      [slot.id, false],
    ]);
    fail(1, "b");
    expect(breakers.open()).toEqual([]);
  });
});

describe("a provider that cannot be reached", () => {
  test("is out for all after five failures in a row of any accounts", () => {
    const { fail, admits, call, pass } = world();
    for (const account of ["a", "b", "c", "d"]) fail(1, account, unreached);
    expect(admits("innocent")).toBe(true);
    fail(1, "e", unreached);
    expect(admits("innocent")).toBe(false);
    pass(1_000);
    expect(call("served", "innocent")).toBe(true);
    expect(admits("a")).toBe(true);
  });

  test("has been reached by a call that fails later", () => {
    const { fail, admits } = world();
    fail(4, "a", unreached);
    fail(1, "b", {});
    fail(4, "a", unreached);
    expect(admits()).toBe(true);
  });
});

describe("a rate limit", () => {
  test.each([
    [{ status: 429, retryAfterMs: 7_000 }, 7_000],
    [{ status: 429, retryAfterMs: 3_600_000 }, 60_000],
    [{ status: 429 }, 1_000],
  ])("%j keeps the slot from being called for %d ms, by anyone", (failure, ms) => {
    const { breakers, call, admits, pass } = world();
    call(failure);
    expect(breakers.coolsForMs(slot, "a")).toBe(ms);
    pass(ms - 1);
    expect([admits("a"), admits("b")]).toEqual([false, false]);
    pass(1);
    expect([admits("a"), admits("b")]).toEqual([true, true]);
    expect(breakers.coolsForMs(slot, "a")).toBeUndefined();
  });

  test("of one account that comes back while others are served is that account's own", () => {
    const { breakers, call, admits, pass } = world();
    const limited = { status: 429, retryAfterMs: 60_000 };
    call(limited, "greedy");
    expect(admits("b")).toBe(false);
    pass(60_000);
    for (let minute = 0; minute < 3; minute += 1) {
      call("served", "b");
      expect(call(limited, "greedy")).toBe(true);
      expect([admits("greedy"), admits("b")]).toEqual([false, true]);
      expect(breakers.coolsForMs(slot, "greedy")).toBe(60_000);
      expect(breakers.coolsForMs(slot, "b")).toBeUndefined();
      pass(60_000);
    }
    call(limited, "b");
    expect([admits("greedy"), admits("b"), admits("c")]).toEqual([false, false, false]);
  });

  test("never opens a breaker", () => {
    const { breakers, call, fail, pass } = world();
    for (let time = 0; time < 50; time += 1) {
      call({ status: 429, retryAfterMs: 10 });
      pass(10);
    }
    expect(breakers.open()).toEqual([]);
    fail(4);
  });
});

describe("a key that is refused", () => {
  const sibling = slotOf("other");
  const renamed = slotOf("model", { name: "near-too" });
  const elsewhere = slotOf("model", { name: "far", baseUrl: "http://far" });

  test("takes all its slots out at once, for all", () => {
    const { breakers, admits, call, changes } = world();
    call(refused);
    expect([slot, sibling, renamed, elsewhere].map((one) => admits("b", one))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(breakers.refusedKeys()).toEqual([
      { provider: "near", key: "KEY", said: "No such key.", status: 401 },
    ]);
    expect(breakers.open()).toEqual([slot.id, sibling.id, renamed.id]);
    expect(changes[0]).toEqual(["near", "No such key.", true]);
  });

  test("is tried once a minute, and is back once a trial is not refused", () => {
    const { breakers, call, admits, changes, pass } = world();
    call(refused);
    for (let minute = 0; minute < 3; minute += 1) {
      pass(59_999);
      expect(admits()).toBe(false);
      pass(1);
      expect(call({ ...refused, said: "Still none." })).toBe(true);
      expect(admits("b", sibling)).toBe(false);
    }
    expect(breakers.refusedKeys()).toMatchObject([{ said: "Still none." }]);
    pass(60_000);
    expect(call("served", "b", sibling)).toBe(true);
    expect([admits(), breakers.refusedKeys(), breakers.open()]).toEqual([true, [], []]);
    expect(changes.at(-2)).toEqual([slot.id, false]);
  });

  test("is not back because of a call that began before", () => {
    const { breakers, call, admits } = world();
    const permit = breakers.admit(slot, "b");
    call(refused);
    breakers.succeeded(slot, "b", permit);
    expect(admits()).toBe(false);
  });

  test("is taken by a provider that responds anything else, and not by one that is silent", () => {
    for (const status of [400, 404, 429, 500]) {
      const { breakers, call, pass } = world();
      call(refused);
      pass(60_000);
      call({ status });
      expect(breakers.refusedKeys()).toEqual([]);
    }
    const { breakers, call, admits, pass } = world();
    call(refused);
    pass(60_000);
    call({});
    expect(breakers.refusedKeys()).toHaveLength(1);
    expect(admits()).toBe(true);
  });

  test("has its next trial at once where the client left during one", () => {
    const { breakers, call, pass } = world();
    call(refused);
    pass(60_000);
    call("abandoned");
    expect(breakers.admit(slot, "b")).toMatchObject({ isTrial: true });
    expect(breakers.admit(slot, "c")).toBe("key_refused");
  });

  test("in a stored secret is tried at once when the secret has another value", () => {
    const { breakers, call, admits, changes } = world();
    const stored = slotOf("model", { secret: "main" });
    call(refused, "a", stored);
    breakers.secretChanged("other");
    expect(admits("a", stored)).toBe(false);
    breakers.secretChanged("main");
    expect(breakers.refusedKeys()).toEqual([]);
    expect(changes.at(-1)).toEqual([stored.id, false]);
    expect(breakers.admit(stored, "a")).toMatchObject({ isTrial: false });
  });

  describe("in a stored secret that got another value during a call", () => {
    const stored = slotOf("model", { secret: "main" });
    const limited = { status: 429, retryAfterMs: 60_000 };

    test.each([
      ["refused", refused],
      ["limited", limited],
    ])("stays in use where the call is %s", (_, outcome) => {
      const { breakers, changes, admits } = world();
      const permit = breakers.admit(stored, "a");
      breakers.secretChanged("main");
      breakers.failed(stored, "a", permit, failureOf(outcome));
      expect([breakers.refusedKeys(), changes, admits("a", stored)]).toEqual([[], [], true]);
    });

    test("stays in use after the change of another secret, and is out for its own calls", () => {
      const { breakers, admits } = world();
      breakers.secretChanged("main");
      const permit = breakers.admit(stored, "a");
      breakers.secretChanged("other");
      breakers.failed(stored, "a", permit, failureOf(refused));
      expect(admits("a", stored)).toBe(false);
    });

    test("is not back because of a trial of the value before", () => {
      for (const end of ["succeeded", "failed", "abandoned"] as const) {
        const { breakers, call, admits, pass } = world();
        call(refused, "a", stored);
        pass(60_000);
        const trial = breakers.admit(stored, "a");
        expect(trial).toMatchObject({ isTrial: true });
        breakers.secretChanged("main");
        call(refused, "a", stored);
        breakers[end](stored, "a", trial, failureOf({ status: 500 }));
        expect([admits("a", stored), breakers.refusedKeys().length]).toEqual([false, 1]);
      }
    });
  });

  test("is forgotten with its provider", () => {
    const { breakers, call, changes } = world();
    call(refused);
    breakers.keepKeys(({ provider }) => provider === "near");
    expect(breakers.refusedKeys()).toHaveLength(1);
    breakers.keepKeys(() => false);
    expect([breakers.refusedKeys(), breakers.open()]).toEqual([[], []]);
    expect(changes.at(-1)).toEqual([slot.id, false]);
  });
});

test.each([
  [{}, "identity"],
  [{ VENDOR_KEY: "a" }, "VENDOR_KEY"],
])("the refusal of a provider without an entry for its key names what it is called by: with %j, %s", (env, name) => {
  const breakers = createBreakers(() => 0, undefined, env);
  const identity = { isDefault: ({ VENDOR_KEY }: Environment) => VENDOR_KEY === undefined };
  const variables = { key: "VENDOR_KEY" };
  const own = { apiKeyEnv: undefined, kind: { identity, variables } as unknown as ProviderKind };
  const at = slotOf("model", own as unknown as Partial<Provider>);
  const permit = breakers.admit(at, "a");
  breakers.failed(at, "a", permit, failureOf(refused));
  expect(breakers.refusedKeys()).toMatchObject([{ provider: "near", key: name }]);
});
