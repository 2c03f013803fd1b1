import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { GatewayError } from "@tollgate/core/errors";
import { newRequestId } from "@tollgate/core/ids";
import { notFound, toGatewayError, writeErrorOnSocket } from "@tollgate/http/error-response";
import { isWebSocketUpgrade } from "@tollgate/http/server";
import type { Refusals } from "../refusals/refusals.ts";
import { toInternalError } from "./error-response.ts";
import { headerFault } from "./header-fault.ts";
import { clientClosedStatus, type ResponseHeaders } from "./request-context.ts";
import { type RequestLog, recordRequest } from "./request-log.ts";

/** The WebSocket upgrades of a server. Every other request is served as an ordinary one. */
export interface Upgrades {
  /** Returns the route that takes the request's upgrade, if there is one. */
  routeOf(req: IncomingMessage): string | undefined;
  accept(req: IncomingMessage, socket: Socket, head: Buffer): void;
}

/** A request to upgrade its connection to a WebSocket. */
export interface UpgradeRequest {
  req: IncomingMessage;
  socket: Socket;
  head: Buffer;
  requestId: string;
  /** The path of the route that takes the upgrade, if there is one. */
  route: string | undefined;
  /** Headers of the response to the upgrade, whether it is accepted or rejected. */
  headers: ResponseHeaders;
  /**
   * Records the status of the response: 101 if the upgrade is accepted, and its error if the upgrade, or the
   * stream after it, is refused.
   */
  responded(status: number, failure?: GatewayError): void;
  /** See `AuthenticatedRequest`. */
  keyId?: string;
  accountId?: string;
  shownKey?: string;
}

/** Accepts an upgrade. An error that it throws is sent as an ordinary HTTP response. */
export type UpgradeHandler = (request: UpgradeRequest) => Promise<void>;

/** Creates the upgrades of some routes, by their paths. Paths have no parameters. */
export function createUpgrades(
  routes: ReadonlyMap<string, UpgradeHandler>,
  options: RequestLog & { refusals: Pick<Refusals, "add"> },
): Upgrades {
  /** Compares the path as it was sent: one with dot segments in it is another address. */
  function routeOf(req: IncomingMessage): string | undefined {
    const path = req.url?.split("?", 1)[0] ?? "";
    return isWebSocketUpgrade(req) && routes.has(path) ? path : undefined;
  }

  async function run(request: UpgradeRequest): Promise<void> {
    const { log } = options;
    try {
      const handler = routes.get(request.route ?? "");
      // Before version 24.9, Node passes every upgrade to the server.
      if (handler === undefined) throw notFound();
      const fault = headerFault(request.req);
      if (fault !== undefined) throw fault;
      await handler(request);
    } catch (error) {
      const failure = toGatewayError(toInternalError(error, log), log);
      request.responded(failure.status, failure);
      writeErrorOnSocket(request.socket, failure, request.headers);
    }
  }

  return {
    routeOf,
    accept(req, socket, head) {
      const route = routeOf(req);
      const requestId = newRequestId();
      const startedAt = performance.now();
      const sent: { status: number; failure?: GatewayError | undefined } = {
        status: clientClosedStatus,
      };
      const headers: ResponseHeaders = { "x-request-id": requestId };
      const request: UpgradeRequest = {
        ...{ req, socket, head, requestId, route, headers },
        responded(status, failure) {
          sent.status = status;
          sent.failure = failure;
        },
      };
      socket.on("error", () => {});
      // Node keeps the address of a connection that has closed only if it was read before.
      void socket.remoteAddress;
      socket.once("close", () => {
        const { keyId, accountId } = request;
        const { status, failure } = sent;
        if (failure !== undefined) options.refusals.add(request, failure);
        recordRequest(options, {
          ...{ req, requestId, route: route ?? "unknown", alias: "", status, code: failure?.code },
          ...{ keyId, accountId, ms: performance.now() - startedAt },
        });
      });
      void run(request);
    },
  };
}
