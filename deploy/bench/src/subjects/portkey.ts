import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "./peer-program.ts";
import { startPeer } from "./peer-server.ts";
import type { Subject, UnavailableSubject } from "./subject.ts";
import type { Testbed } from "./testbed.ts";

const run = promisify(execFile);
const version = "1.15.2";
/** With a newer version, this Portkey does not respond to streams: Portkey-AI/gateway#1389. */
const honoServerVersion = "1.14.1";
const installTimeoutMs = 180_000;
const about = { name: "portkey", title: "Portkey" } as const;

/** Starts Portkey's gateway in one process, without API keys, holds and metering. */
export async function startPortkey(testbed: Testbed): Promise<Subject | UnavailableSubject> {
  let file: string;
  try {
    file = await findPortkey();
  } catch (error) {
    const { message } = error as Error;
    // The first line of npm's output is the reason; Node's message only names the command.
    const reason = message.split("\n").find((line) => line.startsWith("npm error")) ?? message;
    return { ...about, reason: `cannot be installed: ${reason}` };
  }
  const server = await startPeer(testbed, {
    ...about,
    command: process.execPath,
    args: (port) => [file, `--port=${port}`, "--headless"],
    readyPath: "/",
  });
  const headers = {
    authorization: "Bearer none",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `${testbed.provider.url}/v1`,
  };
  return { ...about, ...server, headers };
}

/** Resolves with the path of Portkey's program. Installs it with npm at the first use. */
function findPortkey(): Promise<string> {
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
