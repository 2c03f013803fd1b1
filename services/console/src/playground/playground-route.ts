import { pipeline } from "node:stream/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus, codeToString } from "@connectrpc/connect/protocol-connect";
import { invalidParam } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { Actor, Identity } from "@tollgate/proto/tollgate/v1/identity";
import express, { type Request, type Response, Router } from "express";
import { type Dispatcher, request } from "undici";
import { authorizeCall, confineRequest } from "../access/authorize.ts";
import { playgroundRule } from "../access/permissions.ts";
import type { SignedInSessions } from "../access/sessions.ts";
import { toConnectError } from "../rpc/connect-error.ts";
import type { PlaygroundKeys } from "./playground-keys.ts";

/** Where the page sends chat completion requests. `?account=` names the account that pays. */
export const playgroundPath = "/playground/chat/completions";

/** A long conversation of texts. */
const maxBodyBytes = 2 * 1024 * 1024;
/** The edge ends a response after 30 minutes at the latest. */
const timeoutMs = 31 * 60_000;
/** What the page is sent of the headers of a response. */
const relayedHeaders = ["content-type", "x-request-id", "retry-after"] as const;

export interface PlaygroundRouteParts {
  sessions: SignedInSessions;
  keys: PlaygroundKeys;
  /** Returns where the edge listens. */
  edgeUrl(): string;
  log: Log;
}

/** Who makes a request of the playground, and what. */
interface PlaygroundRequest {
  actor: Actor;
  account: string;
  body: Uint8Array;
  signal: AbortSignal;
}

/**
 * Creates the route that relays the page's requests to the gateway, with a key of the person who is signed
 * in, and the responses as they arrive. They are ordinary requests of a client: one that leaves cancels its
 * request.
 */
export function createPlaygroundRoute({
  sessions,
  keys,
  edgeUrl,
  log,
}: PlaygroundRouteParts): Router {
  async function post({ actor, account, body, signal }: PlaygroundRequest) {
    const key = await keys.find(actor, account);
    return request(`${edgeUrl()}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "user-agent": "tollgate-playground",
      },
      body,
      signal,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  /** Sends a request again with another key where its key is refused: it was revoked or has expired. */
  async function postWithKey(sent: PlaygroundRequest): Promise<Dispatcher.ResponseData> {
    const response = await post(sent);
    if (response.statusCode !== 401 && response.statusCode !== 403) return response;
    await response.body.dump();
    keys.forget(sent.actor, sent.account);
    return post(sent);
  }

  async function relay(req: Request, res: Response): Promise<void> {
    const leaving = new AbortController();
    res.once("close", () => leaving.abort());
    try {
      const identity = await findPerson(sessions, req);
      const { account } = confineRequest({ account: accountOf(req) }, identity, playgroundRule);
      if (account === "") throw invalidParam("account", "must name the account that pays");
      const { signal } = leaving;
      const body = req.body instanceof Uint8Array ? req.body : new Uint8Array();
      const sent = { actor: identity.actor as Actor, account, body, signal };
      const { statusCode, headers, body: response } = await postWithKey(sent);
      for (const name of relayedHeaders) {
        const value = headers[name];
        if (value !== undefined) res.setHeader(name, value);
      }
      res.setHeader("Cache-Control", "no-store");
      res.writeHead(statusCode);
      await pipeline(response, res);
    } catch (error) {
      if (leaving.signal.aborted || res.headersSent) return void res.destroy();
      sendRefusal(res, toConnectError(withoutEdge(error), log));
    }
  }

  const router = Router();
  router.post(
    playgroundPath,
    express.raw({ type: "application/json", limit: maxBodyBytes }),
    relay,
  );
  return router;
}

/** Resolves with a person who may use the playground. A program has a key of its own. */
async function findPerson(sessions: SignedInSessions, { headers }: Request): Promise<Identity> {
  const identity = await sessions.require(new Headers({ cookie: headers.cookie ?? "" }));
  authorizeCall(identity, playgroundRule);
  return identity;
}

function accountOf({ query }: Request): string {
  return typeof query.account === "string" ? query.account : "";
}

/** Returns an error of the connection to the edge as one that a person understands. */
function withoutEdge(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  const isOfConnection = typeof code === "string" && /^(E[A-Z]+|UND_ERR_\w+)$/.test(code);
  if (!isOfConnection) return error;
  return new ConnectError("The gateway does not respond. Try again in a moment.", Code.Unavailable);
}

/** Sends an error in the form of Connect, as the console's calls do. */
function sendRefusal(res: Response, { code, rawMessage: message }: ConnectError): void {
  res.status(codeToHttpStatus(code)).json({ code: codeToString(code), message });
}
