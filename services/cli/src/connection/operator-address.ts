import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { FleetSecrets } from "@tollgate/core/peer-auth";

/** The length that every common system allows for a socket's path, in bytes. */
const maxSocketPathBytes = 100;

/** Where `npm start` serves the console unless TOLLGATE_CONSOLE_LISTEN says otherwise. */
const defaultConsole = "http://127.0.0.1:8081";

/**
 * Returns the path of the socket on which a gateway of one machine accepts the operator's commands:
 * in its data folder, or in the temporary folder if that path is too long for a socket.
 */
export function operatorSocket(dataFolder: string): string {
  const folder = resolve(dataFolder);
  const socket = join(folder, "operator", "tollgate.sock");
  if (Buffer.byteLength(socket) <= maxSocketPathBytes) return socket;
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  return join(tmpdir(), `tollgate-${name}`, "tollgate.sock");
}

/** Returns the path of the file beside that socket with the secrets that its callers must send, as JSON. */
export function operatorSecretFile(dataFolder: string): string {
  return join(dirname(operatorSocket(dataFolder)), "secret");
}

/** Returns the path of the file beside that socket with the URL of the gateway's console. */
export function consoleUrlFile(dataFolder: string): string {
  return join(dirname(operatorSocket(dataFolder)), "console-url");
}

/** Returns billing's address: TOLLGATE_BILLING_ADDRESS, else the socket of the data folder. */
export function operatorAddress(env: NodeJS.ProcessEnv): string {
  return env.TOLLGATE_BILLING_ADDRESS || `unix:${operatorSocket(dataFolderOf(env))}`;
}

/**
 * Returns the secrets that billing's callers must send: TOLLGATE_FLEET_SECRET and
 * TOLLGATE_OPERATOR_SECRET, else those stored beside the socket of the data folder, if any.
 */
export function operatorSecrets(env: NodeJS.ProcessEnv): FleetSecrets {
  const { TOLLGATE_FLEET_SECRET: fleet, TOLLGATE_OPERATOR_SECRET: operator } = env;
  if (fleet) return operator ? { fleet, operator } : { fleet };
  if (env.TOLLGATE_BILLING_ADDRESS) return {};
  const stored = readIfPresent(operatorSecretFile(dataFolderOf(env)));
  return stored === undefined ? {} : (JSON.parse(stored) as FleetSecrets);
}

/**
 * Returns where browsers reach the console: TOLLGATE_CONSOLE_URL, else the URL that the gateway of the
 * data folder stored, else that of a gateway with the default port.
 */
export function consoleUrl(env: NodeJS.ProcessEnv): string {
  if (env.TOLLGATE_CONSOLE_URL) return env.TOLLGATE_CONSOLE_URL;
  if (env.TOLLGATE_BILLING_ADDRESS) return defaultConsole;
  return readIfPresent(consoleUrlFile(dataFolderOf(env))) || defaultConsole;
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns the data folder of the gateway that the commands connect to. */
export function dataFolderOf(env: NodeJS.ProcessEnv): string {
  return resolve(env.TOLLGATE_DATA_DIR || ".data");
}
