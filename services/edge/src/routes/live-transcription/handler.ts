import type { IncomingMessage } from "node:http";
import { callerOf } from "../../auth/caller.ts";
import type { UpgradeHandler } from "../../http/upgrades.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";

/**
 * GET /v1/audio/transcriptions/stream. Proxies the WebSocket to the audio service. A browser, which
 * cannot set the `Authorization` header, may send its key as a sub-protocol. The stream ends when
 * its key is revoked or expires.
 */
export function streamTranscription(
  dependencies: RouteDependencies,
  { checkQuery }: HandlerRules,
): UpgradeHandler {
  const { authenticate, balance, revocations, proxies } = dependencies;
  return async (request) => {
    const { req, socket, head, headers, responded } = request;
    const protocol = takeKeyFromProtocols(req);
    const principal = await authenticate(request);
    if (socket.destroyed) return;
    const controller = new AbortController();
    const { signal } = controller;
    const unwatch = revocations.watch(principal.keyHash, (error) => controller.abort(error));
    socket.once("close", unwatch);
    await balance.check(principal.accountId);
    checkQuery(req);
    signal.throwIfAborted();
    if (socket.destroyed) return;
    const caller = callerOf(request, principal);
    proxies.audio.upgrade(req, socket, head, { caller, headers, protocol, responded, signal });
  };
}

const keyProtocol = "openai-insecure-api-key.";

/**
 * Moves a key from the sub-protocols, where OpenAI's browser clients send it, to its header.
 * Returns the sub-protocol if the client offered no other, because the response must choose an
 * offered one.
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
