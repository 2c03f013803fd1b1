import { join } from "node:path";
import { freePort } from "@tollgate/local/free-port";
import { startServer } from "@tollgate/local/server-process";
import { findPortkey } from "./portkey-package.ts";
import type { Stage } from "./stage.ts";
import type { Absence, Subject } from "./subject.ts";

const about = { name: "portkey", title: "Portkey" } as const;
const readyTimeoutMs = 30_000;

/** Portkey's gateway in one process: no keys of its own, no holds, no metering. */
export async function startPortkey(stage: Stage): Promise<Subject | Absence> {
  let file: string;
  try {
    file = await findPortkey();
  } catch (error) {
    const { message } = error as Error;
    // What npm says first is what is wrong; what Node says first is only which command failed.
    const reason = message.split("\n").find((line) => line.startsWith("npm error")) ?? message;
    return { ...about, reason: `cannot be installed: ${reason}` };
  }
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({
    name: "Portkey",
    command: process.execPath,
    args: [file, `--port=${port}`, "--headless"],
    cwd: stage.folder,
    logFile: join(stage.folder, "portkey.log"),
    stopSignals: ["SIGTERM"],
    readyTimeoutMs,
    isReady: () => answers(url),
  });
  stage.defer(server.stop);
  const headers = {
    authorization: "Bearer none",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `${stage.provider.url}/v1`,
  };
  return { ...about, url, headers, pids: [server.pid] };
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
