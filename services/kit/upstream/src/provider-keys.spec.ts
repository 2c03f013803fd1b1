import type { Slot } from "@tollgate/catalog/model";
import { describe, expect, onTestFinished, test } from "vitest";
import { accept, failureOf, neverAborts, startHttpProvider } from "../test/http-provider.ts";
import { SlotFailure } from "./failure.ts";
import { createProviderClient, type ProviderClient } from "./provider-client.ts";
import { readJson } from "./provider-response.ts";

test("a refusal has the provider's message without the API key", async () => {
  const { providers, slot } = await startHttpProvider((_req, res) => {
    res.writeHead(400, { "content-type": "application/json" });
    res.end(JSON.stringify({ message: "secret is no good" }));
  });
  const call = { accept, requestId: "req_1", signal: neverAborts } as const;
  const failure = await failureOf(providers.post(slot, Buffer.from("{}"), call));
  expect(failure).toBeInstanceOf(SlotFailure);
  expect(failure).toMatchObject({ kind: "rejected", status: 400, hint: "[key] is no good" });
});

describe("a stored key", () => {
  const call = { accept, requestId: "req_1", signal: neverAborts } as const;

  test("is sent as it is when the request is sent", async () => {
    const { stored, slot } = await storedWorld((req, res) => {
      res.end(JSON.stringify(req.headers.authorization));
    });
    const sent = async () => {
      const response = await stored.client.post(slot, Buffer.from("{}"), call);
      return (await readJson(response, neverAborts)).value;
    };
    stored.values = ["first"];
    expect(await sent()).toBe("Bearer first");
    const headers = await stored.client.streamHeaders(slotWithStream(slot), "req_1", neverAborts);
    expect(headers).toMatchObject({ authorization: "Bearer first" });
    stored.values = ["second", "first"];
    expect(await sent()).toBe("Bearer second");
  });

  test("without a value fails the call before it is sent, as a refused key does", async () => {
    let calls = 0;
    const { stored, slot } = await storedWorld((_req, res) => {
      calls += 1;
      res.end();
    });
    const failure = await failureOf(stored.client.post(slot, Buffer.from("{}"), call));
    expect(failure).toMatchObject({ meaning: "key_or_bill", said: "main has no value" });
    expect(calls).toBe(0);
  });

  test("is hidden in what the provider says, and so is the one before it", async () => {
    const { stored, slot } = await storedWorld((_req, res) => {
      res.writeHead(400, { "content-type": "application/json" });
      res.end(JSON.stringify({ message: "neither first nor second" }));
    });
    stored.values = ["second", "first"];
    const failure = await failureOf(stored.client.post(slot, Buffer.from("{}"), call));
    expect(failure).toMatchObject({ hint: "neither [key] nor [key]" });
    expect(stored.client.redact(slot, "first, second")).toBe("[key], [key]");
  });

  /** Does the same as `world`, for a provider whose key is a stored one: the first of `values`. */
  async function storedWorld(respond: Parameters<typeof startHttpProvider>[0]) {
    const { slot } = await startHttpProvider(respond);
    const stored = { values: [] as string[], client: undefined as unknown as ProviderClient };
    stored.client = createProviderClient(
      {},
      {
        current: () => stored.values[0],
        problemOf: (name) => `${name} has no value`,
        recent: () => stored.values,
      },
    );
    onTestFinished(() => stored.client.close());
    const provider = { ...slot.provider, apiKeyEnv: undefined, secret: "main" };
    return { stored, slot: { ...slot, provider } };
  }

  const slotWithStream = (slot: Slot): Slot => ({ ...slot, stream: { path: "/live" } });
});

test("a refusal that is sent on as it came has no API key, and its other bytes are unchanged", async () => {
  const bytes = (key: string) => Buffer.concat([Buffer.from([0xff, 0x80]), Buffer.from(`${key}é`)]);
  const { providers, slot } = await startHttpProvider((_req, res) => {
    res.writeHead(502, { "content-type": "text/html" });
    res.end(bytes("Bearer secret"));
  });
  const call = { accept, requestId: "req_1", signal: neverAborts } as const;
  const failure = await failureOf(providers.post(slot, Buffer.from("{}"), call));
  expect(failure).toMatchObject({ refusal: { body: bytes("Bearer [key]") } });
});

test("a refusal of a prompt that is too long says so, by the kind of the provider", async () => {
  const { providers, slot } = await startHttpProvider((_req, res) => {
    res.writeHead(400, { "content-type": "application/json" });
    res.end(JSON.stringify({ message: "it is too long" }));
  });
  const call = { accept, requestId: "req_1", signal: neverAborts } as const;
  const failure = await failureOf(providers.post(slot, Buffer.from("{}"), call));
  expect(failure).toMatchObject({ status: 400, hint: "it is too long", isTooLong: true });
});
