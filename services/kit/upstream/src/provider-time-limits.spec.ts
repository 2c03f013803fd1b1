import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import type { Slot } from "@tollgate/catalog/model";
import { describe, expect, onTestFinished, test } from "vitest";
import { failureOf, neverAborts, startHttpProvider } from "../test/http-provider.ts";
import { isTotalTimeout, transportFailure } from "./provider-response.ts";

test("a request's own timeout applies where the catalog sets none for the provider", async () => {
  const { providers, slot } = await startHttpProvider(
    (_req, res) => void setTimeout(() => res.end(), 3_000),
  );
  const sendTo = (isDefaultTimeout: boolean, defaultTimeoutMs?: number) => {
    const provider = { ...slot.provider, timeoutMs: 100, isDefaultTimeout };
    const limit = defaultTimeoutMs === undefined ? {} : { defaultTimeoutMs };
    const request = { method: "GET", path: "/slow", headers: {}, ...limit } as const;
    return providers.send({ ...slot, provider }, request, neverAborts);
  };
  const [ofRoute, byDefault, ofProvider] = await Promise.all([
    sendTo(true, 10_000),
    failureOf(sendTo(true)),
    failureOf(sendTo(false, 10_000)),
  ]);
  expect(ofRoute).toMatchObject({ status: 200 });
  expect(byDefault).toMatchObject({ kind: "unreachable" });
  expect(ofProvider).toMatchObject({ kind: "unreachable" });
});

describe("the time limits of a provider", () => {
  const stream = { method: "GET", headers: { accept: "text/event-stream" } } as const;
  const took = (code: string) => ({
    kind: "unreachable",
    meaning: "trouble",
    message: `the provider took too long (${code})`,
  });

  /** Starts a provider that sends the head and a byte of each response, at the times of its path. */
  async function slowWorld(limits: Partial<Slot["provider"]>) {
    const { providers, slot } = await startHttpProvider((req, res) => {
      const [head = 0, byte = 0] = (req.url ?? "").split("/").slice(-2).map(Number);
      setTimeout(() => res.flushHeaders(), head);
      setTimeout(() => res.write("first"), head + byte);
    });
    const limited = { ...slot, provider: { ...slot.provider, ...limits } };
    return {
      send: (request: { path: string }) =>
        providers.send(limited, { ...stream, ...request }, neverAborts),
    };
  }

  test.each([
    ["its head is late, too", "/60000/0"],
    ["its head has come", "/0/60000"],
  ])("end a stream whose first byte is late: %s", async (_, path) => {
    const { send } = await slowWorld({ firstByteMs: 1_000 });
    const read = send({ path }).then(({ body }) => readAll(body));
    expect(await failureOf(read)).toMatchObject(took("FIRST_BYTE_TIMEOUT"));
  });

  test("do not limit a stream by its first byte once that has come", async () => {
    const { send } = await slowWorld({ firstByteMs: 3_000, totalMs: 3_500 });
    const read = send({ path: "/0/0" }).then(({ body }) => readAll(body));
    expect(await failureOf(read)).toMatchObject(took("TOTAL_TIMEOUT"));
  });

  test("do not limit the first byte of a whole response", async () => {
    const { send } = await slowWorld({ firstByteMs: 50 });
    const whole = { headers: { accept: "application/json" }, path: "/500/0" };
    expect(await send(whole)).toMatchObject({ status: 200 });
  });

  test("end a response that takes too long in all, although bytes arrive", async () => {
    const { providers, slot } = await startHttpProvider((_req, res) => {
      const timer = setInterval(() => res.write("."), 20);
      res.once("close", () => clearInterval(timer));
    });
    const limited = { ...slot, provider: { ...slot.provider, totalMs: 1_000 } };
    const sent = providers.send(limited, { ...stream, path: "/" }, neverAborts);
    const failure = await failureOf(sent.then(({ body }) => readAll(body)));
    expect(failure).toMatchObject(took("TOTAL_TIMEOUT"));
    expect(isTotalTimeout(failure)).toBe(true);
    expect(isTotalTimeout(transportFailure(new Error("closed"), neverAborts))).toBe(false);
  });

  test("end a connection that does not open, sooner than by default", async () => {
    // It accepts connections, and never takes part in the handshake of TLS.
    const silent = createTcpServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const { providers, slot } = await startHttpProvider(() => {});
    const baseUrl = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const controller = new AbortController();
    const send = (connectMs: number) => {
      const provider = { ...slot.provider, baseUrl, connectMs };
      const sent = providers.send(
        { ...slot, provider },
        { ...stream, path: "/" },
        controller.signal,
      );
      return failureOf(sent).then((failure) => ({ connectMs, failure }));
    };
    const slow = send(60_000);
    expect(await Promise.race([send(100), slow])).toMatchObject({
      connectMs: 100,
      failure: { kind: "unreachable", meaning: "unreachable" },
    });
    controller.abort(new Error("the test is over"));
    await slow;
  });

  async function readAll(body: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const _ of body);
    } catch (error) {
      throw transportFailure(error, neverAborts);
    }
  }
});
