import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { withKeySlots } from "@tollgate/catalog/key-pool";
import type { Catalog, Model, Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { createLog } from "@tollgate/core/log";
import { describe, expect, onTestFinished, test } from "vitest";
import { LoadBalancer } from "./balance/load-balancer.ts";
import { createBreakers } from "./breaker/breaker.ts";
import { walkChain } from "./chain.ts";
import { createProviderClient } from "./provider-client.ts";
import { readJson } from "./provider-response.ts";
import { requireVariables } from "./provider-variables.ts";

/** A kind that takes its key as a bearer token. */
const kind = {
  authorize: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
  reportedStatus: () => undefined,
  refusalMessage: () => undefined,
  readRefusal: () => ({}),
} as Partial<ProviderKind> as ProviderKind;

const keys = [
  { name: "FIRST", apiKeyEnv: "FIRST", weight: 3 },
  { name: "SECOND", apiKeyEnv: "SECOND", weight: 1 },
];
const never = new AbortController().signal;

/** Starts a provider whose keys have the statuses of `statuses`, 200 for others, and its two slots. */
async function world() {
  const statuses: Record<string, number> = {};
  const used: string[] = [];
  const server = createServer((req, res) => {
    const key = (req.headers.authorization ?? "").replace("Bearer value of ", "");
    used.push(key);
    res.writeHead(statuses[key] ?? 200, {
      "content-type": "application/json",
      "retry-after": "30",
    });
    res.end("{}");
    req.resume();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const providers = createProviderClient({ FIRST: "value of FIRST", SECOND: "value of SECOND" });
  onTestFinished(async () => {
    await providers.close();
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  const provider = { name: "near", kind, baseUrl, keys, timeoutMs: 60_000 };
  const pooled = withKeySlots({ id: "near/m", provider, path: "/" } as unknown as Slot);
  const other = { ...provider, name: "far", keys: undefined, apiKeyEnv: "OTHER" };
  const far = { id: "far/m", provider: other, path: "/" } as unknown as Slot;
  let nowMs = 0;
  const passedOver: string[] = [];
  const outs: string[] = [];
  const options = {
    breakers: createBreakers(() => nowMs, {
      slotChanged: (slot, isOut) => outs.push(`${slot} ${isOut ? "out" : "back"}`),
      keyChanged: ({ key }, isRefused) => outs.push(`${key} ${isRefused ? "refused" : "taken"}`),
    }),
    balancer: new LoadBalancer(() => nowMs, Math.random),
    log: createLog("silent"),
    redact: providers.redact,
    onPassedOver: ({ provider: { name, key } }: Slot, reason: string) =>
      passedOver.push(`${name} ${key?.name} ${reason}`),
  };
  const call = { accept: "application/json", requestId: "req_1", signal: never } as const;
  const send = (affinity?: string, accountId = "acct") =>
    walkChain(
      { chain: [pooled, far] },
      async (slot) => readJson(await providers.post(slot, Buffer.from("{}"), call), never),
      { ...options, accountId, affinity },
    ).then(({ slot }) => slot.provider.key?.name ?? slot.provider.name);
  const sendAll = (times: number) => Promise.all(Array.from({ length: times }, () => send()));
  return { statuses, used, passedOver, outs, send, sendAll, pass: (ms: number) => (nowMs += ms) };
}

describe("requests of a provider with several keys", () => {
  test("are divided by the weights of the keys", async () => {
    const { sendAll, used } = await world();
    for (let wave = 0; wave < 12; wave += 1) await sendAll(50);
    const share = used.filter((key) => key === "FIRST").length / used.length;
    expect(used).toHaveLength(600);
    // Four standard deviations of a fair division.
    expect(Math.abs(share - 0.75), `${share}`).toBeLessThan(0.07);
  });

  test("with the same affinity have the same key, while it is well", async () => {
    const { send, statuses } = await world();
    const users = Array.from({ length: 30 }, (_, index) => `user-${index}`);
    const round = () => Promise.all(users.map((user) => send(user)));
    const first = await round();
    expect(new Set(first)).toEqual(new Set(["FIRST", "SECOND"]));
    expect(await round()).toEqual(first);
    statuses.FIRST = 401;
    expect(new Set(await round())).toEqual(new Set(["SECOND"]));
  });
});

describe("a key that its provider limits", () => {
  test("cools for the time that the provider asks for, and the others serve", async () => {
    const { send, sendAll, statuses, used, passedOver, pass } = await world();
    statuses.FIRST = 429;
    expect(new Set(await sendAll(40))).toEqual(new Set(["SECOND"]));
    used.length = 0;
    expect(new Set(await sendAll(40))).toEqual(new Set(["SECOND"]));
    expect(used).not.toContain("FIRST");
    expect(passedOver).toContain("near FIRST cools");
    statuses.FIRST = 200;
    pass(30_000);
    const users = Array.from({ length: 30 }, (_, index) => `user-${index}`);
    expect(await Promise.all(users.map((user) => send(user)))).toContain("FIRST");
  });

  test("is followed by the next slot where all are limited", async () => {
    const { sendAll, statuses, used, outs } = await world();
    statuses.FIRST = 429;
    statuses.SECOND = 429;
    expect(new Set(await sendAll(40))).toEqual(new Set(["far"]));
    used.length = 0;
    await sendAll(40);
    expect(new Set(used)).toEqual(new Set(["Bearer undefined"]));
    expect(outs).toEqual([]);
  });
});

describe("a key that its provider refuses", () => {
  test("is out under load without a lost request, and its slot is not", async () => {
    const { sendAll, statuses, used, outs } = await world();
    const waves = [await sendAll(50)];
    statuses.FIRST = 401;
    for (let wave = 0; wave < 5; wave += 1) waves.push(await sendAll(50));
    expect(waves.flat()).toHaveLength(300);
    expect(waves.flat()).not.toContain("far");
    expect(outs).toEqual(["FIRST refused"]);
    used.length = 0;
    await sendAll(50);
    expect(new Set(used)).toEqual(new Set(["SECOND"]));
  });

  test("is tried once a minute, and is back when it works", async () => {
    const { sendAll, statuses, used, outs, pass } = await world();
    statuses.FIRST = 402;
    await sendAll(40);
    pass(60_000);
    used.length = 0;
    await sendAll(40);
    expect(used.filter((key) => key === "FIRST")).toHaveLength(1);
    statuses.FIRST = 200;
    pass(60_000);
    await sendAll(40);
    expect(outs).toEqual(["FIRST refused", "FIRST taken"]);
    used.length = 0;
    await sendAll(40);
    expect(used).toContain("FIRST");
  });

  test("takes its slot out with the last of them", async () => {
    const { sendAll, statuses, outs, pass } = await world();
    statuses.FIRST = 401;
    await sendAll(40);
    statuses.SECOND = 401;
    expect(new Set(await sendAll(40))).toEqual(new Set(["far"]));
    expect(outs).toEqual(["FIRST refused", "SECOND refused", "near/m out"]);
    statuses.SECOND = 200;
    pass(60_000);
    await sendAll(40);
    expect(outs.slice(3)).toEqual(["SECOND taken", "near/m back"]);
  });
});

test("a slot that has failed otherwise is followed by the next slot, not by its other keys", async () => {
  const { send, statuses, used } = await world();
  statuses.FIRST = 500;
  statuses.SECOND = 500;
  expect(await send()).toBe("far");
  expect(used).toHaveLength(2);
});

test("each variable of the keys must be set", () => {
  const provider = { name: "near", kind, keys };
  const models = new Map([["a", { chain: [{ provider }] } as unknown as Model]]);
  const require = (env: object) => requireVariables({ models } as unknown as Catalog, { ...env });
  expect(() => require({ FIRST: "a", SECOND: "b" })).not.toThrow();
  expect(() => require({ FIRST: "a" })).toThrow(
    "providers.near.keys[1].env: the environment variable SECOND is not set",
  );
});
