import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

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

/** Returns billing's address: TOLLGATE_BILLING_ADDRESS, else the socket of the data folder. */
export function operatorAddress(env: NodeJS.ProcessEnv): string {
  if (env.TOLLGATE_BILLING_ADDRESS) return env.TOLLGATE_BILLING_ADDRESS;
  return `unix:${operatorSocket(env.TOLLGATE_DATA_DIR || ".data")}`;
}
