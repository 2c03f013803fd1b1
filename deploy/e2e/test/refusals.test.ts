import { connect } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { liveClient } from "../src/live-client.ts";
import { chatBody, requestIdOf, send, simulate } from "../src/request.ts";
import { type OwnStack, startStack, testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

describe("the record of a refused request", () => {
  let stack: OwnStack;
  let chatUrl: string;

  // Its own stack: the requests of other files would use up the records of a minute.
  beforeAll(async () => {
    stack = await startStack({ TOLLGATE_PROXIES: "127.0.0.0/8,::1" });
    chatUrl = `${stack.url}/v1/chat/completions`;
  });

  afterAll(() => stack.stop());

  /** Resolves with the record of a request that did not run, once it is stored. */
  async function refusalOf(id: string | null) {
    return eventually(async () => {
      const { refusals, requests } = await stack.operator.getRequest({ id: id ?? "" });
      expect(requests).toEqual([]);
      expect(refusals).toHaveLength(1);
      return refusals[0];
    });
  }

  const forwardedFor = (address: string) => ({ "x-forwarded-for": address });

  test("says what its client was sent, and who it was", async () => {
    const { key, keyId, accountId } = await stack.newAccount(1);
    const own = { "x-client-request-id": "mine-1", "user-agent": "test/1.0" };
    const body = chatBody({ model: "no-such-model" });
    const headers = { ...own, ...forwardedFor("6.6.6.6, 203.0.113.7") };
    const refused = await send(chatUrl, { key, body, headers });
    const expected = {
      ...{ requestId: requestIdOf(refused), status: 404, code: "model_not_found", param: "model" },
      ...{ alias: "no-such-model", accountId, keyId, shownKey: "", clientAddress: "203.0.113.7" },
      ...{ method: "POST", route: "/v1/chat/completions", userAgent: "test/1.0" },
      ...{ clientRequestId: "mine-1", message: expect.stringContaining("no-such-model") },
    };
    expect(await refusalOf(requestIdOf(refused))).toMatchObject(expected);
    expect(await refusalOf("mine-1")).toMatchObject(expected);
    const args = ["request", requestIdOf(refused) ?? ""];
    const printed = await runTollgate(stack.operatorAddress, testSecrets, args);
    expect(printed.stdout).toContain("404 model_not_found");
    expect(printed.stdout).toContain(keyId);
  });

  test("has the ends of a key that is not known, and nothing of another service's", async () => {
    const wrong = `sk-tollgate-abcd${"x".repeat(35)}wxyz`;
    const headers = forwardedFor("203.0.113.8");
    const unknown = await send(chatUrl, { key: wrong, body: chatBody(), headers });
    expect(await refusalOf(requestIdOf(unknown))).toMatchObject({
      ...{ status: 401, code: "invalid_api_key", accountId: "", keyId: "" },
      shownKey: "sk-tollgate-abcd…wxyz",
    });
    const foreign = await send(chatUrl, { key: "sk-proj-of-another", body: chatBody(), headers });
    expect(await refusalOf(requestIdOf(foreign))).toMatchObject({ status: 401, shownKey: "" });
  });

  test("is of the key that was revoked, of an empty wallet, an upload and a WebSocket", async () => {
    const { key, keyId, accountId } = await stack.newAccount(0);
    const empty = await send(chatUrl, { key, body: chatBody() });
    const known = { accountId, keyId };
    expect(await refusalOf(requestIdOf(empty))).toMatchObject({ ...known, status: 402 });

    const rich = await stack.newAccount(1);
    const form = new FormData();
    form.append("model", "test-transcribe");
    const authorization = { authorization: `Bearer ${rich.key}` };
    const upload = { method: "POST", headers: authorization, body: form };
    const withoutFile = await fetch(`${stack.url}/v1/audio/transcriptions`, upload);
    expect(withoutFile.headers.get("x-tollgate-error")).toBeNull();
    expect(await refusalOf(withoutFile.headers.get("x-request-id"))).toMatchObject({
      ...{ status: 400, code: "invalid_param", param: "file", keyId: rich.keyId },
      route: "/v1/audio/transcriptions",
    });

    await stack.operator.revokeKey({ keyId });
    const socket = await upgrade(key);
    expect(socket).toMatch(/^HTTP\/1.1 403 /);
    const id = /x-request-id: (\S+)/.exec(socket)?.[1] ?? "";
    expect(await refusalOf(id)).toMatchObject({
      ...known,
      ...{ status: 403, code: "key_revoked", route: "/v1/audio/transcriptions/stream" },
      clientAddress: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
    });
    const { refusals } = await stack.operator.listRefusals({ account: accountId });
    expect(refusals.map(({ status }) => status)).toEqual([403, 402]);
    const limited = { account: accountId, code: "key_revoked" };
    expect((await stack.operator.listRefusals(limited)).refusals).toHaveLength(1);
  });

  test("is of a live stream that is refused after its handshake", async () => {
    const own = await stack.newAccount(1);
    const live = liveClient(stack, own);
    const { requestId, frames, closed } = await live.start({ model: "no-such-model" });
    expect(await closed).toBe(1_008);
    expect(await refusalOf(requestId)).toMatchObject({
      ...{ status: 404, code: "model_not_found", param: "model", keyId: own.keyId },
      ...{ message: frames[0]?.error?.message, route: "/v1/audio/transcriptions/stream" },
    });
  });

  test("is of what has no route, with its path, and of what is no HTTP", async () => {
    const { key } = await stack.newAccount(1);
    const authorization = { authorization: `Bearer ${key}` };
    const nowhere = await fetch(`${stack.url}/v1/nowhere`, { headers: authorization });
    expect(await refusalOf(nowhere.headers.get("x-request-id"))).toMatchObject({
      ...{ status: 404, method: "GET", route: "/v1/nowhere" },
    });
    const other = await fetch(chatUrl, { method: "PUT" });
    expect(await refusalOf(other.headers.get("x-request-id"))).toMatchObject({
      ...{ status: 405, method: "PUT", route: "/v1/chat/completions" },
    });
    const { hostname, port } = new URL(stack.url);
    const malformed = await exchange(hostname, Number(port), "no HTTP\r\n\r\n");
    const id = /x-request-id: (\S+)/.exec(malformed)?.[1] ?? "";
    expect(await refusalOf(id)).toMatchObject({ status: 400, code: "invalid_json" });
  });

  /** Resolves with the response to an upgrade to live audio. */
  function upgrade(key: string): Promise<string> {
    const { hostname, port, host } = new URL(stack.url);
    return exchange(
      hostname,
      Number(port),
      `GET /v1/audio/transcriptions/stream HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\n` +
        `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer ${key}\r\n` +
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
  }

  test("is in the ledger alone where the request ran", async () => {
    const { key } = await stack.newAccount(1);
    const failed = await send(chatUrl, { key, body: chatBody(simulate("status=400")) });
    expect(failed.status).toBe(502);
    const last = await send(chatUrl, { key, body: chatBody({ model: "no-such-model" }) });
    // What was refused later is recorded, and that is not.
    await refusalOf(requestIdOf(last));
    await eventually(async () => {
      const found = await stack.operator.getRequest({ id: requestIdOf(failed) ?? "" });
      expect(found.requests).toHaveLength(1);
      expect(found.refusals).toEqual([]);
    });
  });

  test("is one of few in a flood, which is counted, and takes nobody else's", async () => {
    const { key, accountId } = await stack.newAccount(1);
    const { hostname, port, host } = new URL(stack.url);
    const [connections, requests] = [20, 250];
    const flood = Array.from({ length: connections }, (_, n) => {
      const head = (last: boolean) =>
        `GET /v1/credits HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: 198.51.100.${n}\r\n` +
        `Authorization: Bearer sk-tollgate-${"f".repeat(43)}\r\n` +
        `${last ? "Connection: close\r\n" : ""}\r\n`;
      return exchange(hostname, Number(port), head(false).repeat(requests - 1) + head(true));
    });
    const served = send(chatUrl, { key, body: chatBody() });
    const received = await Promise.all(flood);
    expect((await served).status).toBe(200);
    const statuses = received.flatMap((text) => text.match(/HTTP\/1.1 401/g) ?? []);
    expect(statuses).toHaveLength(connections * requests);
    const refused = await send(chatUrl, { key, body: chatBody({ model: "no-such-model" }) });
    expect(await refusalOf(requestIdOf(refused))).toMatchObject({ accountId, status: 404 });
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    const sums = "SELECT sum(requests)::int AS n FROM billing.refusal_hour WHERE account_id = ''";
    await eventually(async () => {
      const { rows } = await database.query(sums);
      expect(rows[0].n).toBeGreaterThanOrEqual(connections * requests);
    });
    const stored = "SELECT count(*)::int AS n FROM billing.refusal WHERE account_id = ''";
    const { rows } = await database.query(stored);
    await database.end();
    // At most 60 in each of the minutes that the file takes.
    expect(rows[0].n).toBeLessThanOrEqual(180);
  });
});

/** Resolves with all that a server sends for some bytes until it closes the connection. */
function exchange(host: string, port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(bytes));
    let received = "";
    socket.setEncoding("utf8");
    socket.on("data", (text) => {
      received += text;
    });
    socket.on("end", () => {
      socket.end();
      resolve(received);
    });
    socket.on("error", reject);
  });
}
