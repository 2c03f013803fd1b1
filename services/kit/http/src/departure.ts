import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Cancellation } from "@tollgate/core/cancellation";

/**
 * The request by which the edge tells a service that the client of a proxied request left. It follows the
 * proxied request on the same connection. A connection that closes without it is a failure of the edge, and
 * the client is not charged.
 */
const departurePath = "/departure";
const departure = `POST ${departurePath} HTTP/1.1\r\nhost: edge\r\ncontent-length: 0\r\n\r\n`;

/** Tells the service at the other end that the client left. The body of its request must be written. */
export function sendDeparture(connection: Socket): void {
  connection.write(departure);
}

/** The proxied requests in progress, by their connections. */
export class Departures {
  readonly #calls = new WeakMap<Socket, Cancellation>();

  /** Calls `leave` of the call when the edge reports on this connection that the client left. */
  watch({ socket }: IncomingMessage, call: Cancellation): void {
    this.#calls.set(socket, call);
  }

  /**
   * Returns whether a request is such a report. If it is, calls `leave` of the call that the connection
   * carries.
   */
  accept({ url, socket }: IncomingMessage): boolean {
    if (url !== departurePath) return false;
    this.#calls.get(socket)?.leave();
    return true;
  }
}
