import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "./peer-program.ts";

const run = promisify(execFile);
const version = "1.15.2";
/** With a newer version, this Portkey does not respond to streams: Portkey-AI/gateway#1389. */
const honoServerVersion = "1.14.1";
const installTimeoutMs = 180_000;

/** Resolves with the path of Portkey's program. Installs it with npm at the first use. */
export function findPortkey(): Promise<string> {
  return findProgram({
    name: "portkey",
    version: `${version}-${honoServerVersion}`,
    file: "node_modules/@portkey-ai/gateway/build/start-server.js",
    install,
  });
}

async function install(folder: string, signal: AbortSignal): Promise<void> {
  const manifest = {
    private: true,
    dependencies: { "@portkey-ai/gateway": version },
    overrides: { "@hono/node-server": honoServerVersion },
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const args = ["install", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"];
  await run("npm", args, { cwd: folder, timeout: installTimeoutMs, signal });
}
