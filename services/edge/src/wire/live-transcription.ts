import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { create } from "@bufbuild/protobuf";
import { invalidParam } from "@tollgate/core/errors";
import { newRequestId } from "@tollgate/core/ids";
import type { Log } from "@tollgate/core/log";
import { notFound, sendErrorOnSocket, toGatewayError } from "@tollgate/http/error-response";
import { isWebSocketUpgrade } from "@tollgate/http/server";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import { type Authenticate, keyRevoked } from "../auth.ts";
import { type AnswerHeaders, leftStatus, type Route, tellRequest } from "../exchange.ts";
import type { BalanceGuard } from "../guard.ts";
import type { ServiceProxy } from "../proxy.ts";
import { refuseQuery } from "../query.ts";
import type { Revocations } from "../revocations.ts";
import type { Upgrades } from "../server.ts";
import { ownFault } from "../without-provider.ts";

export interface LiveParts {
  authenticate: Authenticate;
  guard: BalanceGuard;
  proxy: ServiceProxy;
  revocations: Revocations;
  log: Log;
  metrics: Pick<Metrics, "requests" | "requestDuration">;
}

export const livePath = "/v1/audio/transcriptions/stream";

/**
 * GET /v1/audio/transcriptions/stream: refuses an upgrade as plain HTTP, or proxies it. A browser,
 * which cannot set the header, may send its key as a sub-protocol. A stream ends when its key is
 * revoked.
 */
export function upgradeLive(parts: LiveParts): Upgrades {
  const { authenticate, guard, proxy, revocations, log, metrics } = parts;

  async function accept(
    req: IncomingMessage,
    socket: Socket,
    head: Buffer,
    { requestId, answered }: { requestId: string; answered(status: number): void },
  ): Promise<void> {
    const headers: AnswerHeaders = { "x-request-id": requestId };
    try {
      // Before its version 24.9, Node asks nobody which upgrades are taken.
      if (!isLive(req)) throw notFound();
      const protocol = takeKeyFromProtocols(req);
      const { keyId, accountId, keyHash } = await authenticate({ req, headers, requestId });
      const ending = new AbortController();
      const { signal } = ending;
      if (socket.destroyed) return;
      const forget = revocations.watch(keyHash, () => ending.abort(keyRevoked()));
      socket.once("close", forget);
      await guard.check(accountId);
      refuseQuery(req);
      signal.throwIfAborted();
      if (socket.destroyed) return;
      const caller = create(CallerSchema, { requestId, keyId, accountId });
      proxy.upgrade(req, socket, head, { caller, headers, protocol, answered, signal });
    } catch (error) {
      const failure = toGatewayError(ownFault(error, log), log);
      answered(failure.status);
      sendErrorOnSocket(socket, failure, headers);
    }
  }

  return {
    takes: isLive,
    accept(req, socket, head) {
      const requestId = newRequestId();
      const startedAt = performance.now();
      let status = leftStatus;
      const answered = (given: number) => {
        status = given;
      };
      socket.on("error", () => {});
      socket.once("close", () => {
        const ms = performance.now() - startedAt;
        tellRequest({ log, metrics }, { req, requestId, route: livePath, alias: "", status, ms });
      });
      void accept(req, socket, head, { requestId, answered });
    },
  };
}

/** The address is compared as it stands: one that only leads here by its dots is another. */
function isLive(req: IncomingMessage): boolean {
  return isWebSocketUpgrade(req) && req.url?.split("?", 1)[0] === livePath;
}

/** The same address without an upgrade. */
export function refuseWithoutUpgrade(authenticate: Authenticate): Route {
  return async (exchange) => {
    await authenticate(exchange);
    throw invalidParam("Upgrade", "this address takes WebSocket upgrades alone");
  };
}

const keyProtocol = "openai-insecure-api-key.";

/**
 * Moves a key among the sub-protocols, as OpenAI's browser clients send it, to its header. Answers
 * the sub-protocol where no other was offered: a client that offers some is to be answered one.
 */
function takeKeyFromProtocols({ headers }: IncomingMessage): string | undefined {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const carrier = offered.find((name) => name.startsWith(keyProtocol));
  if (carrier === undefined) return undefined;
  const others = offered.filter((name) => name !== carrier);
  if (others.length > 0) headers["sec-websocket-protocol"] = others.join(", ");
  else delete headers["sec-websocket-protocol"];
  headers.authorization ??= `Bearer ${carrier.slice(keyProtocol.length)}`;
  return others.length > 0 ? undefined : carrier;
}
