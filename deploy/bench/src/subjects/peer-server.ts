import { join } from "node:path";
import { freePort } from "@tollgate/local/free-port";
import { startServer } from "@tollgate/local/server-process";
import type { Testbed } from "./testbed.ts";

const readyTimeoutMs = 60_000;

export interface PeerServer {
  /** It begins the name of the log file. */
  name: string;
  title: string;
  command: string;
  /** Returns the arguments with which it listens on this port of 127.0.0.1. */
  args(port: number): readonly string[];
  /** The path that responds with a 2xx status once the server is ready. */
  readyPath: string;
}

/** Starts the server of a peer, and stops it with the testbed. Throws what `startServer` throws. */
export async function startPeer(
  testbed: Testbed,
  { name, title, command, args, readyPath }: PeerServer,
): Promise<{ url: string; pids: readonly number[] }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({
    name: title,
    command,
    args: args(port),
    cwd: testbed.folder,
    logFile: join(testbed.folder, `${name}.log`),
    stopSignals: ["SIGTERM"],
    readyTimeoutMs,
    isReady: () => isOk(`${url}${readyPath}`),
  });
  testbed.defer(server.stop);
  return { url, pids: [server.pid] };
}

function isOk(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
