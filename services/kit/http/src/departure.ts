import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Cancellation } from "@tollgate/core/cancellation";

/**
 * How a service learns that the client of a proxied request left: the edge sends this request after it, on
 * the same connection. A connection that closes without one is the edge's failure, for which no client pays.
 */
const departurePath = "/departure";
const departure = `POST ${departurePath} HTTP/1.1\r\nhost: edge\r\ncontent-length: 0\r\n\r\n`;

/** Says on the connection of a request, whose body must be written, that its client left. */
export function sendDeparture(connection: Socket): void {
  connection.write(departure);
}

/** The proxied requests in progress, by their connections. */
export class Departures {
  readonly #calls = new WeakMap<Socket, Cancellation>();

  /** Has the client of the call leave when the edge says so on this connection. */
  watch({ socket }: IncomingMessage, call: Cancellation): void {
    this.#calls.set(socket, call);
  }

  /** Returns whether a request says that the client of the one before it left; then it has. */
  accept({ url, socket }: IncomingMessage): boolean {
    if (url !== departurePath) return false;
    this.#calls.get(socket)?.leave();
    return true;
  }
}
