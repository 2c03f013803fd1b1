import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { pathToFileURL } from "node:url";
import { createLog } from "@tollgate/core/log";
import { startNatsServer } from "@tollgate/local/nats-server";
import { startPostgres } from "@tollgate/local/postgres";
import { serverUid } from "@tollgate/local/postgres-binaries";
import { createAuthority, createCertificate } from "@tollgate/local/test-certificates";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openBroker } from "../src/broker/connection.ts";
import { openDatabase } from "../src/database/pool.ts";

const log = createLog("silent");
let folder: string;
/** The files of a private authority, of another one, and of a certificate for `localhost`. */
let files: Record<"ca" | "other" | "cert" | "key", string>;
let caText: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-tls-"));
  await chmod(folder, 0o711);
  await mkdir(join(folder, "migrations"));
  const authority = await createAuthority();
  caText = authority.cert;
  const { cert, key } = await createCertificate(authority, "localhost");
  const texts = { ca: authority.cert, other: (await createAuthority()).cert, cert, key };
  files = {} as typeof files;
  for (const name of Object.keys(texts) as (keyof typeof texts)[]) {
    files[name] = join(folder, `${name}.pem`);
    await writeFile(files[name], texts[name]);
  }
  // Postgres demands that its user owns the key, and that nobody else can read it.
  await chmod(files.key, 0o600);
  if (serverUid !== undefined) await chown(files.key, serverUid, serverUid);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("Postgres with a certificate of a private authority", () => {
  let url: URL;

  beforeAll(async () => {
    const postgres = await startPostgres({
      dataFolder: folder,
      durable: false,
      settings: { ssl: "on", ssl_cert_file: files.cert, ssl_key_file: files.key },
    });
    url = new URL(postgres.url);
    return postgres.stop;
  });

  /** Resolves with whether the connection is encrypted. */
  async function connectTo(host: string, query: string): Promise<boolean> {
    url.hostname = host;
    url.search = query;
    const pool = await openDatabase({
      url: url.href,
      schema: { name: "kit_tls", migrations: pathToFileURL(join(folder, "migrations")) },
      maxConnections: 1,
      log,
    });
    const { rows } = await pool.query<{ ssl: boolean }>(
      "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
    );
    await pool.end();
    return rows[0]?.ssl ?? false;
  }

  test("is reached with `verify-full` and `sslrootcert`", async () => {
    expect(await connectTo("localhost", `sslmode=verify-full&sslrootcert=${files.ca}`)).toBe(true);
  });

  test.each<[string, string, () => string, RegExp]>([
    [
      "another authority",
      "localhost",
      () => `&sslrootcert=${files.other}`,
      /signature failure|self-signed|unable to/,
    ],
    ["no authority of its own", "localhost", () => "", /signature failure|self-signed|unable to/],
    [
      "another name",
      "127.0.0.1",
      () => `&sslrootcert=${files.ca}`,
      /127\.0\.0\.1 is not in the cert/,
    ],
  ])("is refused with %s", async (_, host, query, reason) => {
    const connecting = connectTo(host, `sslmode=verify-full${query()}`);
    await expect(connecting).rejects.toThrow(reason);
  });
});

test("NATS with a certificate of a private authority is reached by `tls:`, once it is trusted", async () => {
  const trusted = getCACertificates("default");
  onTestFinished(() => setDefaultCACertificates(trusted));
  // As NODE_EXTRA_CA_CERTS does for a process.
  setDefaultCACertificates([...trusted, caText]);
  const dataFolder = await mkdtemp(join(tmpdir(), "tollgate-tls-nats-"));
  const server = await startNatsServer({ dataFolder, host: "localhost", tls: files });
  onTestFinished(async () => {
    await server.stop();
    await rm(dataFolder, { recursive: true, force: true });
  });
  expect(server.url).toMatch(/^tls:/);
  const broker = openBroker(server.url, "test", log);
  await new Promise<void>((resolve) => broker.whenConnected(() => resolve()));
  expect(broker.connection()?.info?.tls_required).toBe(true);
  await broker.close();

  setDefaultCACertificates(trusted);
  let warned = () => {};
  const refused = new Promise<void>((resolve) => {
    warned = resolve;
  });
  const stranger = openBroker(server.url, "test", { ...log, warn: () => warned() } as typeof log);
  await refused;
  expect(stranger.connection()).toBeUndefined();
  await stranger.close();
});
