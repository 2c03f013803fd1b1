import { IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { GatewayError } from "@tollgate/core/errors";
import { newRequestId } from "@tollgate/core/ids";
import { notFound, writeErrorOnSocket } from "@tollgate/http/error-response";
import type { Refusals } from "../refusals/refusals.ts";
import { type RequestLog, recordRequest } from "./request-log.ts";

/** A client's connection. Node stores the pending response on it. */
interface ClientSocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

/** Refuses what Node creates no response object for. */
export interface ConnectionRefusals {
  /** Rejects a CONNECT request. */
  rejectConnect(req: IncomingMessage, socket: Socket): void;
  /** Rejects what Node's parser refuses before there is a request, and closes the connection. */
  rejectMalformed(error: NodeJS.ErrnoException, socket: ClientSocket): void;
}

/** Creates the refusals of connections, which are logged and recorded as those of requests. */
export function createConnectionRefusals(
  options: RequestLog & { refusals: Pick<Refusals, "add"> },
): ConnectionRefusals {
  function refuse(req: IncomingMessage, socket: Socket, failure: GatewayError): void {
    if (!socket.writable) return;
    const requestId = newRequestId();
    options.refusals.add({ req, requestId }, failure);
    const { status, code } = failure;
    recordRequest(options, {
      ...{ req, requestId, route: "unknown", alias: "", status, code, ms: 0 },
      ...{ keyId: undefined, accountId: undefined },
    });
    writeErrorOnSocket(socket, failure, { "x-request-id": requestId });
  }

  return {
    rejectConnect(req, socket) {
      socket.on("error", () => {});
      refuse(req, socket, notFound());
    },
    rejectMalformed({ code }, socket) {
      // After a head was sent, the client would read the error as a part of that response.
      if (socket._httpMessage?.headersSent) return void socket.destroy();
      const message =
        code === "ERR_HTTP_REQUEST_TIMEOUT"
          ? "The request was not received in the time allowed."
          : "The request is not well-formed HTTP.";
      refuse(new IncomingMessage(socket), socket, new GatewayError("invalid_json", message));
    },
  };
}
