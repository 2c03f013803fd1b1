import { join } from "node:path";
import { freePort } from "@tollgate/local/free-port";
import { startServer } from "@tollgate/local/server-process";
import { findPortkey } from "./portkey-package.ts";
import type { Subject, UnavailableSubject } from "./subject.ts";
import type { Testbed } from "./testbed.ts";

const about = { name: "portkey", title: "Portkey" } as const;
const readyTimeoutMs = 30_000;

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
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({
    name: "Portkey",
    command: process.execPath,
    args: [file, `--port=${port}`, "--headless"],
    cwd: testbed.folder,
    logFile: join(testbed.folder, "portkey.log"),
    stopSignals: ["SIGTERM"],
    readyTimeoutMs,
    isReady: () => responds(url),
  });
  testbed.defer(server.stop);
  const headers = {
    authorization: "Bearer none",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `${testbed.provider.url}/v1`,
  };
  return { ...about, url, headers, pids: [server.pid] };
}

function responds(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
