import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import {
  type Authority,
  type Certificate,
  createAuthority,
  createCertificate,
  createExpiredCertificate,
} from "@tollgate/local/test-certificates";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { accept, failureOf, neverAborts, startHttpProvider } from "../../test/http-provider.ts";
import { writePems } from "../../test/pem-files.ts";

const host = "127.0.0.1";
let authority: Authority;
let other: Authority;

beforeAll(async () => {
  authority = await createAuthority();
  other = await createAuthority("Another authority");
});

/** Resolves with how a request to a provider fails that has this certificate, or demands that of its client. */
async function failureWith(own: Certificate, client?: Certificate | "none"): Promise<unknown> {
  const demand = { ca: authority.cert, requestCert: true };
  const server = createServer({ ...own, ...(client && demand) }, (req, res) => {
    req.resume();
    res.end("{}");
  }).listen(0, host);
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { providers, slot } = await startHttpProvider((_, res) => void res.end());
  const shown = client === undefined || client === "none" ? {} : client;
  const tls = await writePems<string>({ ca: authority.cert, ...shown });
  const { port } = server.address() as AddressInfo;
  const provider = { ...slot.provider, baseUrl: `https://${host}:${port}`, tls };
  const call = { accept, requestId: "req_1", signal: neverAborts } as const;
  return failureOf(providers.post({ ...slot, provider }, Buffer.from("{}"), call));
}

test.each([
  ["has expired", () => createExpiredCertificate(authority, host), /certificate has expired/],
  ["is for another host", () => createCertificate(authority, "b.test"), /for another host/],
  ["is of another authority", () => createCertificate(other, host), /does not trust/],
])("a provider whose certificate %s is sent nothing, and the failure says why", async (_, create, said) => {
  const failure = await failureWith(await create());
  expect(failure).toMatchObject({ kind: "unreachable", meaning: "unreachable" });
  expect(failure).toHaveProperty("message", expect.stringMatching(said));
});

test.each([
  ["none", async () => "none" as const],
  ["one that has expired", () => createExpiredCertificate(authority, "client.test")],
  ["one of another authority", () => createCertificate(other, "client.test")],
])("a provider that demands a client certificate serves nobody with another: %s", async (_, create) => {
  const failure = await failureWith(await createCertificate(authority, host), await create());
  expect(failure).toMatchObject({ kind: "unreachable" });
});
