import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Catalog, Provider } from "@tollgate/catalog/model";
import { StartError } from "@tollgate/core/errors";
import {
  type Authority,
  createAuthority,
  createCertificate,
} from "@tollgate/local/test-certificates";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { startConnectProxy } from "../../test/connect-proxy.ts";
import { writePems } from "../../test/pem-files.ts";
import { SlotFailure } from "../failure.ts";
import { Connections } from "./connections.ts";
import { requireTlsFiles } from "./tls-files.ts";

/** A name that only a proxy can resolve. */
const host = "provider.test";
let authority: Authority;

beforeAll(async () => {
  authority = await createAuthority();
});

/** Starts a provider with TLS, which responds with the name in the certificate of its client. */
async function startProvider() {
  const { cert, key } = await createCertificate(authority, host);
  const options = { cert, key, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, (req, res) => {
    const socket = req.socket as TLSSocket;
    res.end(socket.authorized ? socket.getPeerCertificate().subject.CN : "nobody");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

function connectionsOf(env: Record<string, string> = {}, nowMs?: () => number): Connections {
  const connections = new Connections(env, nowMs);
  onTestFinished(() => connections.destroy());
  return connections;
}

/** Resolves with the response of the provider to a request, or with its failure. */
async function ask(connections: Connections, provider: Partial<Provider>): Promise<string> {
  const dispatcher = connections.for(provider as Provider);
  try {
    const { body } = await dispatcher.request({
      origin: `https://${host}`,
      path: "/",
      method: "GET",
    });
    return await body.text();
  } catch (error) {
    return (error as Error).message;
  }
}

describe("a provider is called through a proxy", () => {
  test.each([
    ["that the environment names", {}, (url: string) => ({ HTTPS_PROXY: url })],
    ["that its own variable names", { proxyEnv: "OWN" }, (url: string) => ({ OWN: url })],
  ])("%s, with user and password", async (_, provider, env) => {
    const port = await startProvider();
    const proxy = await startConnectProxy({ port, credentials: "user:pass%20word" });
    const connections = connectionsOf(env(proxy.url.replace("pass%20word", "pass%2520word")));
    const tls = await writePems({ ca: authority.cert });
    expect(await ask(connections, { ...provider, tls })).toBe("nobody");
    expect(proxy.tunnels).toEqual([`${host}:443`]);
  });

  test("that its entry names, in place of that of the environment and of NO_PROXY", async () => {
    const proxy = await startConnectProxy({ port: await startProvider() });
    const env = { HTTPS_PROXY: "http://127.0.0.1:1", NO_PROXY: "*" };
    const tls = await writePems({ ca: authority.cert });
    expect(await ask(connectionsOf(env), { proxy: proxy.url, tls })).toBe("nobody");
    expect(proxy.tunnels).toEqual([`${host}:443`]);
  });

  test.each([
    ["NO_PROXY excepts its host", { NO_PROXY: ".test" }, {}],
    ["its entry says `none`", {}, { proxy: "none" }],
  ])("unless %s", async (_, env, provider) => {
    const proxy = await startConnectProxy({ port: await startProvider() });
    const connections = connectionsOf({ HTTPS_PROXY: proxy.url, ...env });
    expect(await ask(connections, provider)).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect(proxy.tunnels).toEqual([]);
  });

  test("whose refusal fails the call, without the address of the proxy", async () => {
    const proxy = await startConnectProxy({ port: await startProvider(), credentials: "a:b" });
    const connections = connectionsOf({ HTTPS_PROXY: proxy.url.replace("a:b", "a:secret") });
    const failure = await ask(connections, {});
    expect(failure).toMatch(/407/);
    expect(failure).not.toMatch(/secret|127\.0\.0\.1/);
  });

  test("also by the upgrade to a WebSocket", async () => {
    const proxy = await startConnectProxy({ port: await startProvider() });
    const tls = await writePems({ ca: authority.cert });
    const provider = { proxy: proxy.url, tls } as Partial<Provider> as Provider;
    const upgrade = connectionsOf().forUpgrade(provider, `wss://${host}/v1`);
    const request = get(`https://${host}/v1`, upgrade);
    const [response] = await once(request, "response");
    response.resume();
    expect([response.statusCode, proxy.tunnels]).toEqual([200, [`${host}:443`]]);
  });

  test("a proxy without a valid address is refused, without repeating it", () => {
    const open = () => new Connections({ HTTPS_PROXY: "user:secret@proxy" });
    expect(open).toThrow(new StartError("HTTPS_PROXY: must be an http or https URL"));
  });
});

describe("the certificates of a provider", () => {
  test("are those of the client, signed by a private authority", async () => {
    const proxy = await startConnectProxy({ port: await startProvider() });
    const client = await createCertificate(authority, "client.test");
    const tls = await writePems({ ca: authority.cert, ...client });
    const connections = connectionsOf();
    expect(await ask(connections, { proxy: proxy.url, tls })).toBe("client.test");
    expect(await ask(connections, { proxy: proxy.url })).toMatch(/self-signed|unable to/);
  });

  test("are read again each minute, and kept while a file is away", async () => {
    let nowMs = 0;
    const proxy = await startConnectProxy({ port: await startProvider() });
    const first = await createCertificate(authority, "first.test");
    const second = await createCertificate(authority, "second.test");
    const tls = await writePems({ ca: authority.cert, ...first });
    const connections = connectionsOf({}, () => nowMs);
    const provider = { proxy: proxy.url, tls };
    expect(await ask(connections, provider)).toBe("first.test");
    await writeFile(tls.cert, second.cert);
    await writeFile(tls.key, second.key);
    expect(await ask(connections, provider)).toBe("first.test");
    nowMs += 60_000;
    expect(await ask(connections, provider)).toBe("second.test");
    await rm(tls.key);
    nowMs += 60_000;
    expect(await ask(connections, provider)).toBe("second.test");
  });

  test("are replaced under load, and no call fails", async () => {
    let nowMs = 0;
    const proxy = await startConnectProxy({ port: await startProvider() });
    const tls = await writePems({
      ...(await createCertificate(authority, "client-0.test")),
      ca: authority.cert,
    });
    const connections = connectionsOf({}, () => nowMs);
    const answers: string[] = [];
    let isRunning = true;
    const load = Array.from({ length: 8 }, async () => {
      while (isRunning) answers.push(await ask(connections, { proxy: proxy.url, tls }));
    });
    for (let turn = 1; turn <= 3; turn += 1) {
      const { cert, key } = await createCertificate(authority, `client-${turn}.test`);
      // As a mounted secret is replaced: both files at once.
      writeFileSync(tls.cert, cert);
      writeFileSync(tls.key, key);
      nowMs += 60_000;
      const current = () => expect(answers.at(-1)).toBe(`client-${turn}.test`);
      await vi.waitFor(current, { timeout: 15_000 });
    }
    isRunning = false;
    await Promise.all(load);
    expect(answers.filter((answer) => !/^client-\d\.test$/.test(answer))).toEqual([]);
  });

  test("that cannot be read fail a call as a refused key does, and are named at the start", async () => {
    const tls = { ca: "/nowhere/ca.pem" };
    const call = () => connectionsOf().for({ tls } as Partial<Provider> as Provider);
    expect(call).toThrow(SlotFailure);
    const provider = { name: "near", tls };
    const models = new Map([["model", { chain: [{ provider }] }]]);
    expect(() => requireTlsFiles({ models } as unknown as Catalog)).toThrow(
      /^providers\.near\.tls: cannot be used: ENOENT.*ca\.pem/,
    );
  });

  test("whose files are no certificates are named at the start, without their contents", async () => {
    const tls = await writePems({ ca: authority.cert, cert: "secret text", key: "secret text" });
    const models = new Map([["model", { chain: [{ provider: { name: "near", tls } }] }]]);
    const check = () => requireTlsFiles({ models } as unknown as Catalog);
    expect(check).toThrow(/^providers\.near\.tls: cannot be used: /);
    expect(check).not.toThrow(/secret text/);
  });
});
