import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** What the shortest of the common systems allows for a socket's path, in bytes. */
const maxSocketPathBytes = 100;

/**
 * The socket at which a gateway on one machine takes the operator's commands: in its data folder,
 * or beside the temporary files where that path is too long for a socket.
 */
export function operatorSocket(dataFolder: string): string {
  const folder = resolve(dataFolder);
  const socket = join(folder, "operator", "tollgate.sock");
  if (Buffer.byteLength(socket) <= maxSocketPathBytes) return socket;
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  return join(tmpdir(), `tollgate-${name}`, "tollgate.sock");
}

/** Where billing is asked: as the environment says, else the gateway of this folder. */
export function operatorAddress(env: NodeJS.ProcessEnv): string {
  if (env.TOLLGATE_BILLING_ADDRESS) return env.TOLLGATE_BILLING_ADDRESS;
  return `unix:${operatorSocket(env.TOLLGATE_DATA_DIR || ".data")}`;
}
