import { randomInt } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The range is below the ephemeral ports, which an outgoing connection could take before the server
 * listens.
 */
const lowestPort = 15_000;
const highestPort = 32_000;
/** Older reservations were left by killed processes. */
const staleMs = 60 * 60 * 1_000;

const folder = join(tmpdir(), `tollgate-ports-${process.getuid?.() ?? "all"}`);
const reserved = new Set<string>();
process.once("exit", () => {
  for (const file of reserved) rmSync(file, { force: true });
});

/**
 * Resolves with a TCP port of a host, by default 127.0.0.1, on which nothing listens and that no other call on this
 * machine has reserved. The port stays reserved until this process exits. Throws when temporary
 * files cannot be written.
 */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  await mkdir(folder, { recursive: true });
  for (;;) {
    const port = randomInt(lowestPort, highestPort);
    if ((await reserve(port)) && (await isPortFree(port, host))) return port;
  }
}

async function reserve(port: number): Promise<boolean> {
  const file = join(folder, String(port));
  try {
    await writeFile(file, "", { flag: "wx" });
    reserved.add(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const found = await stat(file).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > staleMs) await rm(file, { force: true });
    return false;
  }
}

/** Resolves with whether nothing listens on a TCP port of a host. */
export async function isPortFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
