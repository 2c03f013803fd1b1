import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { IdentityFailure, type IdentitySource } from "@tollgate/catalog/identity";
import type { Provider } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { expect, test } from "vitest";
import { accept, failureOf, neverAborts, startHttpProvider } from "../../test/http-provider.ts";
import { readJson } from "../provider-response.ts";
import { UnsentCall } from "../unsent.ts";
import { Identities } from "./identities.ts";

const call = { accept, requestId: "req_1", signal: neverAborts } as const;
const body = Buffer.from("{}");

interface World {
  /** The tokens that the identity is given, one after the other; a failure is thrown. */
  tokens: (string | IdentityFailure)[];
  respond(req: IncomingMessage, res: ServerResponse): void;
}

/** Starts a provider that is called by an identity, and a client with a slot of it. */
async function startWorld({ tokens, respond }: World) {
  const seen: string[] = [];
  const world = await startHttpProvider((req, res) => {
    seen.push(String(req.headers.authorization));
    respond(req, res);
  });
  const left = [...tokens];
  const identity: IdentitySource = {
    settings: {},
    isDefault: () => false,
    isVendorAddress: () => false,
    load: async () => async () => {
      const token = left.shift() ?? "none";
      if (token instanceof IdentityFailure) throw token;
      return { values: { token }, expiresAtMs: Date.now() + 3_600_000 };
    },
  };
  const kind: ProviderKind = {
    ...world.slot.provider.kind,
    identity,
    authorize: (_, { apiKey, identity: values }) => ({
      authorization: `Bearer ${apiKey ?? values?.token}`,
    }),
  };
  const provider: Provider = {
    ...world.slot.provider,
    kind,
    identity: { role: "a" },
    apiKeyEnv: undefined,
  };
  return { ...world, slot: { ...world.slot, provider }, seen };
}

/** Responds to requests with this token, and refuses others. */
function takes(token: string): World["respond"] {
  return (req, res) => {
    req.resume();
    const isKnown = req.headers.authorization === `Bearer ${token}`;
    res.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    res.end(JSON.stringify(isKnown ? { ok: true } : { message: "not first, not second" }));
  };
}

test("a token that the provider refuses is replaced, and the request is sent again", async () => {
  const { providers, slot, seen } = await startWorld({
    tokens: ["first", "second"],
    respond: takes("second"),
  });
  const response = await providers.post(slot, body, call);
  expect((await readJson(response, neverAborts)).value).toEqual({ ok: true });
  await providers.post(slot, body, call).then((next) => readJson(next, neverAborts));
  expect(seen).toEqual(["Bearer first", "Bearer second", "Bearer second"]);
});

test("a request is sent twice at most, and its refusal is that of a key, without the tokens", async () => {
  const { providers, slot, seen } = await startWorld({
    tokens: ["first", "second", "third"],
    respond: takes("third"),
  });
  const failure = await failureOf(providers.post(slot, body, call));
  expect(failure).toMatchObject({
    meaning: "key_or_bill",
    status: 401,
    said: "not [key], not [key]",
  });
  expect(seen).toEqual(["Bearer first", "Bearer second"]);
  expect(providers.redact(slot, "first second")).toBe("[key] [key]");
});

test("a stream is not sent again, but the next request has another token", async () => {
  const { providers, slot, seen } = await startWorld({
    tokens: ["first", "second"],
    respond: takes("second"),
  });
  const file = Readable.from([Buffer.from("file")]);
  const request = { method: "POST", path: "/files", headers: {}, body: file } as const;
  const failure = await failureOf(providers.send(slot, request, neverAborts));
  expect(failure).toMatchObject({ meaning: "key_or_bill" });
  const next = await providers.post(slot, body, call);
  await readJson(next, neverAborts);
  expect(seen).toEqual(["Bearer first", "Bearer second"]);
});

test("no other failure is repeated", async () => {
  const { providers, slot, seen } = await startWorld({
    tokens: ["first", "second"],
    respond: (_, res) => void res.writeHead(500).end(),
  });
  expect(await failureOf(providers.post(slot, body, call))).toMatchObject({ status: 500 });
  expect(seen).toEqual(["Bearer first"]);
});

test.each([
  [true, "key_or_bill"],
  [false, "unreachable"],
])("without a token nothing is sent, and the failure is that of its server: refused %j", async (isRefused, meaning) => {
  const { providers, slot, seen } = await startWorld({
    tokens: [new IdentityFailure("the role may not be assumed", isRefused)],
    respond: takes("first"),
  });
  const failure = await failureOf(providers.post(slot, body, call));
  expect(failure).toMatchObject({ meaning, said: "the role may not be assumed" });
  const upgrade = { ...slot, stream: { path: "/live" } };
  const refused = await failureOf(providers.streamHeaders(upgrade, "req_1", neverAborts));
  expect(refused).toMatchObject({ meaning });
  expect(seen).toEqual([]);
});

test("the upgrade to a WebSocket has the token", async () => {
  const { providers, slot } = await startWorld({ tokens: ["first"], respond: takes("first") });
  const upgrade = { ...slot, stream: { path: "/live" } };
  const headers = await providers.streamHeaders(upgrade, "req_1", neverAborts);
  expect(headers).toMatchObject({ authorization: "Bearer first" });
});

test("a caller that leaves waits for no token, and the call was not sent", async () => {
  const read = Promise.withResolvers<never>();
  const identity = { load: async () => () => read.promise, isDefault: () => false };
  const kind = { name: "cloud", identity } as unknown as ProviderKind;
  const provider = { name: "near", kind, identity: {} } as unknown as Provider;
  const identities = new Identities({
    env: {},
    proxiesOf: () => ({ http: undefined, https: undefined, none: "" }),
    onLateRefresh: () => {},
  });
  const leaving = new AbortController();
  const failed = failureOf(identities.valuesOf(provider, leaving.signal));
  const reason = new UnsentCall("cancelled", "the caller left");
  leaving.abort(reason);
  expect(await failed).toBeInstanceOf(UnsentCall);
  read.reject(new IdentityFailure("down", false));
});
