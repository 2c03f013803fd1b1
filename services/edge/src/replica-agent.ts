import { lookup } from "node:dns/promises";
import { Agent, type ClientRequestArgs } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { HttpAddress } from "@tollgate/http/address";

/** A replica that takes no connection within this is passed over. */
const connectTimeoutMs = 2_000;
/** Where no replica can be reached, they are all tried again until this much time has gone. */
const patienceMs = 1_000;
const retryMs = 50;

/**
 * Connects to the replicas of a service in turn, and to the next one where one cannot be reached,
 * so that a replica which ends is missed by nobody. A name stands for all its addresses, looked up
 * anew each time. Every request gets a connection of its own: one that is kept could be closed by
 * its replica at the very moment when it is used again, and an upload cannot be sent twice.
 */
export function createReplicaAgent(replicas: readonly HttpAddress[]): Agent {
  let turn = 0;

  async function connectToOne(): Promise<Socket> {
    const startedAt = performance.now();
    turn += 1;
    for (;;) {
      const addresses = await addressesOf(replicas);
      const first = turn % Math.max(addresses.length, 1);
      let failure: unknown = new Error("no address is known");
      for (const address of [...addresses.slice(first), ...addresses.slice(0, first)]) {
        try {
          return await connectTo(address);
        } catch (error) {
          failure = error;
        }
      }
      if (performance.now() - startedAt > patienceMs) throw failure;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
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
      const known = await lookup(host, { all: true }).catch(() => []);
      return known.map(({ address }) => ({ host: address, port }));
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
    socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error("no connection in time")));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.removeListener("error", reject);
      resolve(socket);
    });
  });
}
