import { lookup } from "node:dns/promises";
import { Agent, type ClientRequestArgs } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Pauses } from "@tollgate/core/pauses";
import type { HttpAddress } from "@tollgate/http/address";

/** A replica that accepts no connection within this time is skipped. */
const connectTimeoutMs = 2_000;
/** While no replica can be reached, all are retried until this much time has passed. */
const maxRetryMs = 1_000;
const retryDelayMs = 50;

/**
 * Creates an HTTP agent that connects to the replicas of a service in turn, and to the next one if
 * one cannot be reached, so that a replica can stop without a failed request. A host name is
 * resolved for every connection, and all its addresses are used. Every request has its own
 * connection: a replica could close an idle one at the moment when it is used again, and an upload
 * cannot be sent twice.
 */
export function createReplicaAgent(replicas: readonly HttpAddress[]): Agent {
  let turn = 0;

  async function connectToOne(): Promise<Socket> {
    const pauses = new Pauses({ firstMs: retryDelayMs, forMs: maxRetryMs });
    turn += 1;
    for (;;) {
      const addresses = await addressesOf(replicas);
      const first = turn % Math.max(addresses.length, 1);
      let failure: unknown = new Error("no address was found");
      for (const address of [...addresses.slice(first), ...addresses.slice(0, first)]) {
        try {
          return await connectTo(address);
        } catch (error) {
          failure = error;
        }
      }
      if (!(await pauses.next())) throw failure;
    }
  }

  return new (class extends Agent {
    override createConnection(
      _options: ClientRequestArgs,
      done: (error: Error | null, stream: Duplex) => void,
    ): undefined {
      connectToOne().then(
        (socket) => done(null, socket),
        (error: Error) => done(error, undefined as never),
      );
    }
  })({ keepAlive: false });
}

async function addressesOf(replicas: readonly HttpAddress[]): Promise<HttpAddress[]> {
  const found = await Promise.all(
    replicas.map(async (replica) => {
      if ("socketPath" in replica) return [replica];
      const { host, port } = replica;
      const resolved = await lookup(host, { all: true }).catch(() => []);
      return resolved.map(({ address }) => ({ host: address, port }));
    }),
  );
  return found.flat();
}

function connectTo(address: HttpAddress): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket =
      "socketPath" in address
        ? connect({ path: address.socketPath })
        : connect({ host: address.host, port: address.port, noDelay: true });
    socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error("connect timeout")));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.removeListener("error", reject);
      resolve(socket);
    });
  });
}
