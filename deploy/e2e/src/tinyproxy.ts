import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@tollgate/local/free-port";
import { eventually } from "./eventually.ts";

/** Whether the program is on the PATH. */
export const hasTinyproxy = spawnSync("tinyproxy", ["-v"]).error === undefined;

export interface Tinyproxy {
  /** Its URL, with user and password. */
  url: string;
  port: number;
  /** Resolves with the hosts and ports of the tunnels that it was asked for, in order. */
  tunnels(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts a tinyproxy that demands a user and a password, which it takes of letters and digits only. */
export async function startTinyproxy(user: string, password: string): Promise<Tinyproxy> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-tinyproxy-"));
  const port = await freePort();
  const logFile = join(folder, "log");
  const settings = [
    `Port ${port}`,
    "Listen 127.0.0.1",
    "Allow 127.0.0.1",
    "Timeout 600",
    "MaxClients 100",
    `BasicAuth ${user} ${password}`,
    `LogFile "${logFile}"`,
    "LogLevel Connect",
  ];
  const configFile = join(folder, "tinyproxy.conf");
  await writeFile(configFile, `${settings.join("\n")}\n`);
  const child = spawn("tinyproxy", ["-d", "-c", configFile], { stdio: "ignore" });
  const exited = once(child, "exit");
  await eventually(async () => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.destroy();
  });
  return {
    url: `http://${user}:${password}@127.0.0.1:${port}`,
    port,
    async tunnels() {
      const log = await readFile(logFile, "utf8");
      return [...log.matchAll(/CONNECT (\S+) HTTP/g)].map(([, target = ""]) => target);
    },
    async stop() {
      child.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
