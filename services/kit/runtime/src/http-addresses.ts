import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "@tollgate/core/config";
import { type HttpAddress, parseHttpAddress } from "@tollgate/http/address";
import type { ServiceName } from "./service.ts";

export interface HttpAddresses {
  /**
   * Returns where a service of this process listens. Throws a StartError if `TOLLGATE_HTTP_LISTEN`
   * is no address.
   */
  listenAddress(name: ServiceName): HttpAddress;
  /**
   * Returns where each replica of a service listens. Throws a StartError if the variable that names
   * them is no address.
   */
  peerAddresses(name: ServiceName): readonly HttpAddress[];
  close(): Promise<void>;
}

/**
 * Decides where services accept proxied HTTP requests. Services that share a process use sockets in
 * a folder that only this user can enter. A service with a process of its own listens on
 * `ownListen`, and the edge finds it at `TOLLGATE_<NAME>_HTTP_ADDRESS`: one address, or several
 * with commas between them.
 */
export async function openHttpAddresses(
  names: readonly ServiceName[],
  env: Environment,
  ownListen: string,
): Promise<HttpAddresses> {
  const isShared = names.length > 1;
  const folder = isShared ? await mkdtemp(join(tmpdir(), "tollgate-")) : undefined;
  return {
    listenAddress(name) {
      if (folder !== undefined) return socketIn(folder, name);
      return parseHttpAddress("TOLLGATE_HTTP_LISTEN", ownListen);
    },
    peerAddresses(name) {
      if (folder !== undefined && names.includes(name)) return [socketIn(folder, name)];
      const variable = `TOLLGATE_${name.toUpperCase()}_HTTP_ADDRESS`;
      const text = env[variable] || `${name}:9091`;
      return text.split(",").map((one) => parseHttpAddress(variable, one.trim()));
    },
    async close() {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

function socketIn(folder: string, name: ServiceName): HttpAddress {
  const path = join(folder, `${name}.sock`);
  return { socketPath: process.platform === "win32" ? `\\\\.\\pipe\\${path}` : path };
}
