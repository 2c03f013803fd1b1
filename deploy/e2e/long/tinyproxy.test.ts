import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority, createCertificate } from "@tollgate/local/test-certificates";
import { type Simulator, startSimulator } from "@tollgate/simulator/simulator";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { testCatalog } from "../src/catalog/catalog.ts";
import { type Forwarder, startForwarder } from "../src/forwarder.ts";
import { entryOf, expectBalancedLedger } from "../src/ledger.ts";
import { finals, liveClient, talk } from "../src/live-client.ts";
import { chatBody, eventsOf, requestIdOf, send, simulate } from "../src/request.ts";
import { type OwnStack, startStack, type TestAccount } from "../src/stack.ts";
import { hasTinyproxy, startTinyproxy, type Tinyproxy } from "../src/tinyproxy.ts";

/** An address of this machine that is reached through proxies, unlike 127.0.0.1. */
const host = "127.0.0.2";
const password = "HiddenFromLogs7";

describe.runIf(hasTinyproxy)("providers with TLS, through tinyproxy", () => {
  let folder: string;
  let simulator: Simulator;
  let provider: Forwarder;
  let proxy: Tinyproxy;
  let stack: OwnStack;
  let account: TestAccount;
  let log = "";

  beforeAll(async () => {
    vi.spyOn(process.stderr, "write").mockImplementation((part) => {
      log += part.toString();
      return true;
    });
    folder = await mkdtemp(join(tmpdir(), "tollgate-proxied-"));
    const authority = await createAuthority();
    const caFile = join(folder, "ca.pem");
    await writeFile(caFile, authority.cert);
    simulator = await startSimulator({ port: 0 });
    const tls = await createCertificate(authority, host);
    provider = await startForwarder(Number(new URL(simulator.url).port), { host, tls });
    proxy = await startTinyproxy("gateway", password);
    const catalogFile = join(folder, "catalog.yaml");
    await writeFile(catalogFile, testCatalog(`https://${host}:${provider.port}`));
    stack = await startStack({
      TOLLGATE_CATALOG: catalogFile,
      TOLLGATE_LOG: "info",
      HTTPS_PROXY: proxy.url,
      NODE_EXTRA_CA_CERTS: caFile,
    });
    account = await stack.newAccount(10);
  });

  afterAll(async () => {
    await stack.stop();
    vi.restoreAllMocks();
    await proxy.stop();
    await provider.close();
    await simulator.close();
    await rm(folder, { recursive: true, force: true });
    expect(log).toContain("test-small");
    expect(log).not.toContain(password);
  });

  const chat = (more: Record<string, unknown> = {}) =>
    send(`${stack.url}/v1/chat/completions`, { key: account.key, body: chatBody(more) });

  test("JSON is served, by a tunnel that the proxy has made", async () => {
    const response = await chat();
    expect(response.status, response.text).toBe(200);
    expect(await proxy.tunnels()).toContain(`${host}:${provider.port}`);
    expect(simulator.calls.list()).toHaveLength(1);
  });

  test("a stream arrives event by event, and is charged", async () => {
    const response = await chat({ stream: true, ...simulate("chunks=20&gap_ms=10") });
    const events = eventsOf(response.text);
    expect(events.at(-1)).toBe("[DONE]");
    expect(events.length).toBeGreaterThan(20);
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry?.amountNanoUsd).toBeLessThan(0n);
  });

  test("live audio passes through a tunnel of its own, in both directions", async () => {
    const before = (await proxy.tunnels()).length;
    const stream = await liveClient(stack, account).start();
    talk(stream, 3);
    stream.socket.send(JSON.stringify({ action: "flush" }));
    expect(await stream.closed).toBe(1_000);
    expect(finals(stream)).toEqual([2, 1]);
    expect((await proxy.tunnels()).length).toBeGreaterThan(before);
  });

  test("a provider that is silent behind the proxy times out, and costs nothing", async () => {
    const response = await chat({ model: "charge-chat-stalls" });
    expect([response.status, response.body]).toMatchObject([503, { error: {} }]);
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
    const { requests } = await stack.operator.getRequest({ id: requestIdOf(response) ?? "" });
    expect(requests[0]?.attempts).toMatchObject([
      { reason: expect.stringContaining("took too long") },
    ]);
  });

  test("a proxy that refuses the password fails requests, and is not shown", async () => {
    const refused = `http://gateway:wrongPassword@127.0.0.1:${proxy.port}`;
    const replica = await stack.addReplica({ HTTPS_PROXY: refused });
    const response = await send(`${replica.url}/v1/chat/completions`, {
      key: account.key,
      body: chatBody(),
    });
    expect(response.status).toBe(503);
    expect(response.text).not.toMatch(/wrongPassword|127\.0\.0\.1|407/);
    await replica.stop();
    expect(log).not.toContain("wrongPassword");
    await expectBalancedLedger(stack);
  });
});
