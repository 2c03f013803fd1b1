import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PeerError, StartError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { freePort } from "@tollgate/local/free-port";
import {
  type Authority,
  certificateBytes,
  createAuthority,
  createCertificate,
  servedCertificate,
} from "@tollgate/local/test-certificates";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readAll, rejectionOf } from "../../test/call-outcome.ts";
import { createClient } from "../client.ts";
import { serveGrpc } from "../grpc-server.ts";
import { createGrpcTransport } from "../grpc-transport.ts";
import { bindService } from "../implementation.ts";
import { FleetCertificates } from "./fleet-certificates.ts";

const log = createLog("silent");
const peerAuth = createPeerAuth({ fleet: "fleet-secret" });
const reloadMs = 20;
/** A busy machine may be slow. */
const patient = { timeoutMs: 60_000 };
let fleet: Authority;
let other: Authority;

beforeAll(async () => {
  [fleet, other] = (await Promise.all(["Fleet", "Other"].map((name) => createAuthority(name)))) as [
    Authority,
    Authority,
  ];
});

const chat = bindService(ChatService, {
  complete: async () => ({}),
  async *stream() {
    yield {};
  },
  countTokens: async () => ({}),
  embed: async () => ({}),
});

/** Writes a certificate of an authority, and which authorities its owner trusts. */
async function writeFiles(folder: string, authority: Authority, trusted = authority.cert) {
  const own = await createCertificate(authority, "peer.test");
  await writeFile(join(folder, "tls.crt"), own.cert);
  await writeFile(join(folder, "tls.key"), own.key);
  await writeFile(join(folder, "ca.crt"), trusted);
  return own;
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-tls-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

function openCertificates(folder: string): FleetCertificates {
  const certificates = new FleetCertificates(folder, log, reloadMs);
  onTestFinished(() => certificates.close());
  return certificates;
}

async function certificatesOf(authority: Authority): Promise<FleetCertificates> {
  const folder = await newFolder();
  await writeFiles(folder, authority);
  return openCertificates(folder);
}

async function serve(certificates: FleetCertificates | undefined): Promise<string> {
  const address = `127.0.0.1:${await freePort()}`;
  const server = await serveGrpc(address, [chat], { log, peerAuth, certificates });
  onTestFinished(() => server.stop(0));
  return address;
}

function clientOf(address: string, certificates: FleetCertificates | undefined) {
  const transport = createGrpcTransport(address, peerAuth, certificates);
  onTestFinished(() => transport.close());
  return createClient(ChatService, transport);
}

describe("with certificates of one authority", () => {
  test("services call each other", async () => {
    const client = clientOf(await serve(await certificatesOf(fleet)), await certificatesOf(fleet));
    await client.complete({}, patient);
    expect((await readAll(client.stream({}))).messages).toHaveLength(1);
  });

  test.each([
    ["a client without certificates", () => undefined, () => certificatesOf(fleet)],
    [
      "a client with one of another authority",
      () => certificatesOf(other),
      () => certificatesOf(fleet),
    ],
    ["a server without certificates", () => certificatesOf(fleet), () => undefined],
  ])("%s is refused", async (_, own, ofServer) => {
    const client = clientOf(await serve(await ofServer()), await own());
    for (const error of [
      await rejectionOf(client.complete({})),
      (await readAll(client.stream({}))).error,
    ]) {
      expect(error).toBeInstanceOf(PeerError);
      expect(error).toMatchObject({ reason: "unavailable" });
    }
  });

  test("a client that trusts another authority sends a server nothing", async () => {
    const folder = await newFolder();
    await writeFiles(folder, fleet, other.cert);
    const client = clientOf(await serve(await certificatesOf(fleet)), openCertificates(folder));
    expect(await rejectionOf(client.complete({}))).toMatchObject({ reason: "unavailable" });
  });
});

test("new certificates are used by new connections, and no call fails meanwhile", async () => {
  const [ofServer, ofClient] = [await newFolder(), await newFolder()];
  const folders = [ofServer, ofClient];
  for (const folder of folders) await writeFiles(folder, fleet);
  const address = await serve(openCertificates(ofServer));
  const certificates = openCertificates(ofClient);
  const client = clientOf(address, certificates);
  let isRunning = true;
  let calls = 0;
  const load = Array.from({ length: 4 }, async () => {
    while (isRunning) {
      await client.complete({}, patient);
      calls += 1;
    }
  });
  // First both authorities are trusted, then certificates are of the new one, then the old one is trusted no longer.
  const both = `${fleet.cert}\n${other.cert}`;
  for (const [authority, trusted] of [
    [fleet, both],
    [other, both],
    [other, other.cert],
  ] as const) {
    const served = await writeFiles(ofServer, authority, trusted);
    const ofCaller = await writeFiles(ofClient, authority, trusted);
    await expect
      .poll(() => servedCertificate(address, ofCaller), { timeout: 20_000 })
      .toBe(certificateBytes(served));
    await clientOf(address, certificates).complete({}, patient);
  }
  const before = calls;
  await expect.poll(() => calls, { timeout: 20_000 }).toBeGreaterThan(before);
  isRunning = false;
  await Promise.all(load);
});

test.each([
  ["a folder that does not exist", async () => join(await newFolder(), "none")],
  [
    "a key of another certificate",
    async () => {
      const folder = await newFolder();
      await writeFiles(folder, fleet);
      const { key } = await createCertificate(fleet, "peer.test");
      await writeFile(join(folder, "tls.key"), key);
      return folder;
    },
  ],
])("%s fails the start", async (_, folder) => {
  const path = await folder();
  const open = () => new FleetCertificates(path, log);
  expect(open).toThrow(StartError);
  expect(open).toThrow(/^TOLLGATE_TLS_DIR: cannot be used: /);
  expect(open).not.toThrow(/PRIVATE KEY/);
});

test("files that cannot be used leave those before in use", async () => {
  const folder = await newFolder();
  await writeFiles(folder, fleet);
  const address = await serve(openCertificates(folder));
  await writeFile(join(folder, "tls.key"), "no key");
  const client = await certificatesOf(fleet);
  // Longer than the files are read again.
  const until = performance.now() + 10 * reloadMs;
  do await clientOf(address, client).complete({}, patient);
  while (performance.now() < until);
});
