import { randomInt } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Below what systems give to outgoing connections, which would take a port before its server does.
 */
const lowestPort = 15_000;
const highestPort = 32_000;
/** Nobody holds on to ports for longer; who was killed left its marks behind. */
const staleMs = 60 * 60 * 1_000;

const folder = join(tmpdir(), `tollgate-ports-${process.getuid?.() ?? "all"}`);
const given = new Set<string>();
process.once("exit", () => {
  for (const mark of given) rmSync(mark, { force: true });
});

/**
 * A TCP port of 127.0.0.1 that nothing listens on at this moment, and that no other program of ours
 * on this machine was given. Raises an Error where temporary files cannot be written.
 */
export async function freePort(): Promise<number> {
  await mkdir(folder, { recursive: true });
  for (;;) {
    const port = randomInt(lowestPort, highestPort);
    if ((await claim(port)) && (await isFree(port))) return port;
  }
}

async function claim(port: number): Promise<boolean> {
  const mark = join(folder, String(port));
  try {
    await writeFile(mark, "", { flag: "wx" });
    given.add(mark);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const found = await stat(mark).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > staleMs) await rm(mark, { force: true });
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
