import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The length that every common system allows for a socket's path, in bytes. */
const maxSocketPathBytes = 100;

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

/** Returns the path of the file beside that socket with the secret that its callers must send. */
export function operatorSecretFile(dataFolder: string): string {
  return join(dirname(operatorSocket(dataFolder)), "secret");
}

/** Returns billing's address: TOLLGATE_BILLING_ADDRESS, else the socket of the data folder. */
export function operatorAddress(env: NodeJS.ProcessEnv): string {
  return env.TOLLGATE_BILLING_ADDRESS || `unix:${operatorSocket(dataFolderOf(env))}`;
}

/**
 * Returns the secret that billing's callers must send: TOLLGATE_FLEET_SECRET, else the one stored
 * beside the socket of the data folder. Undefined if there is none.
 */
export function operatorSecret(env: NodeJS.ProcessEnv): string | undefined {
  if (env.TOLLGATE_FLEET_SECRET) return env.TOLLGATE_FLEET_SECRET;
  if (env.TOLLGATE_BILLING_ADDRESS) return undefined;
  try {
    return readFileSync(operatorSecretFile(dataFolderOf(env)), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns the data folder of the gateway that the commands connect to. */
export function dataFolderOf(env: NodeJS.ProcessEnv): string {
  return resolve(env.TOLLGATE_DATA_DIR || ".data");
}
