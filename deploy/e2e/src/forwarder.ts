import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Transform, type TransformCallback } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import type { Certificate } from "@tollgate/local/test-certificates";

/** An address that leads to another one, which may change. */
export interface Forwarder {
  port: number;
  /** Returns how many connections were accepted. */
  accepted(): number;
  /** Leads new connections to another port, or with undefined to none. Cuts those that are open. */
  moveTo(port: number | undefined): void;
  /** Passes no bytes on, also of new connections. Returns a function that passes them on again. */
  silence(): () => void;
  close(): Promise<void>;
}

interface Options {
  /** Where it listens. */
  host?: string;
  /** Ends TLS, with this certificate. */
  tls?: Certificate;
  /** How much later bytes arrive, in each direction. */
  delayMs?: number;
}

/** Starts a forwarder of TCP connections to a port of this machine. */
export async function startForwarder(
  targetPort: number | undefined,
  { host = "127.0.0.1", tls, delayMs = 0 }: Options = {},
): Promise<Forwarder> {
  let target = targetPort;
  let accepted = 0;
  let isSilent = false;
  const open = new Set<Socket>();
  const accept = (client: Socket) => {
    accepted += 1;
    if (target === undefined) {
      client.destroy();
      return;
    }
    const server = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => socket.destroy());
      socket.once("close", () => {
        open.delete(socket);
        other.destroy();
      });
      if (delayMs === 0) socket.pipe(other);
      else socket.pipe(new Delay(delayMs)).pipe(other);
      if (isSilent) socket.pause();
    }
  };
  const listener: Server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  listener.on("tlsClientError", () => {});
  listener.listen(0, host);
  await once(listener, "listening");
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (listener.address() as AddressInfo).port,
    accepted: () => accepted,
    moveTo(port) {
      target = port;
      cut();
    },
    silence() {
      isSilent = true;
      for (const socket of open) socket.pause();
      return () => {
        isSilent = false;
        for (const socket of open) socket.resume();
      };
    },
    async close() {
      const closed = once(listener, "close");
      listener.close();
      cut();
      await closed;
    },
  };
}

/** Passes each chunk on after a delay. It does not wait for the receiver. */
class Delay extends Transform {
  readonly #delayMs: number;

  constructor(delayMs: number) {
    super();
    this.#delayMs = delayMs;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    setTimeout(() => this.push(chunk), this.#delayMs);
    done();
  }

  override _flush(done: TransformCallback): void {
    setTimeout(done, this.#delayMs);
  }
}
