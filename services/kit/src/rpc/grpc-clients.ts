import { Client, connectivityState, credentials } from "@grpc/grpc-js";
import { channelOptions } from "./grpc-channel.ts";

/** How soon a new replica behind a name is found. */
const lookUpEveryMs = 30_000;

/** The client that new calls are made with. */
export interface GrpcClients {
  lease(): Lease;
  close(): void;
}

/** One call's use of a client. */
export interface Lease {
  client: Client;
  release(): void;
}

interface Shared {
  client: Client;
  calls: number;
  isRetired: boolean;
}

/**
 * gRPC looks a name up again only when a connection has failed, and so would never find a replica
 * that was added. A new client looks it up; it shares the connections that there are. The one before
 * it stays for as long as it has calls: a connection that it alone still has is closed with it, and
 * grpc-js drops what is under way on a closing connection as soon as its next keep-alive ping is due.
 */
export function createClients(address: string): GrpcClients {
  const target = address.includes(",") ? `ipv4:${address}` : address;
  const open = (): Shared => ({
    client: new Client(target, credentials.createInsecure(), channelOptions),
    calls: 0,
    isRetired: false,
  });
  const all = new Set<Shared>();
  let current = open();
  all.add(current);

  function closeIfDone(shared: Shared): void {
    if (!shared.isRetired || shared.calls > 0) return;
    shared.client.close();
    all.delete(shared);
  }

  const timer = setInterval(() => {
    const old = current;
    current = open();
    all.add(current);
    old.isRetired = true;
    closeIfDone(old);
  }, lookUpEveryMs);
  timer.unref();
  return {
    lease() {
      const shared = current;
      shared.calls += 1;
      return {
        client: shared.client,
        release() {
          shared.calls -= 1;
          closeIfDone(shared);
        },
      };
    },
    close() {
      clearInterval(timer);
      for (const { client } of all) client.close();
    },
  };
}

/** Waits a moment where no replica can be reached. The call that follows tells of any failure. */
export async function somePeer(client: Client, patienceMs: number): Promise<void> {
  const channel = client.getChannel();
  if (channel.getConnectivityState(true) !== connectivityState.TRANSIENT_FAILURE) return;
  await new Promise<void>((resolve) => {
    client.waitForReady(Date.now() + patienceMs, () => resolve());
  });
}
