import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { access, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const version = "1.15.2";
/** With a newer version, this Portkey does not respond to streams: Portkey-AI/gateway#1389. */
const honoServerVersion = "1.14.1";
const program = "node_modules/@portkey-ai/gateway/build/start-server.js";
const installTimeoutMs = 180_000;

/**
 * Resolves with the path of Portkey's program in the cache folder. Installs it there with npm at
 * the first use, because it is not a dependency. Rejects when the installation fails.
 */
export async function findPortkey(): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cache, "tollgate", "portkey");
  const place = join(folder, `${version}-${honoServerVersion}`);
  const file = join(place, program);
  if (await isAccessible(file)) return file;
  const scratch = join(folder, `.${randomUUID()}`);
  try {
    await install(scratch);
    await rename(scratch, place).catch(async (error) => {
      // Another benchmark was faster: its copy is used.
      if (!(await isAccessible(file))) throw error;
    });
    return file;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function install(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { "@portkey-ai/gateway": version },
    overrides: { "@hono/node-server": honoServerVersion },
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const args = ["install", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"];
  await run("npm", args, { cwd: folder, timeout: installTimeoutMs });
}

function isAccessible(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
