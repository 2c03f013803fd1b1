import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createLiveUpgrade } from "./audio/live-upgrade.ts";
import { openCall, type SimulatorCall, type SimulatorRoute, type SimulatorState } from "./call.ts";
import { createCallCounter } from "./call-counter.ts";
import { type CallLog, createCallLog } from "./call-log.ts";
import { sendProviderError } from "./error-response.ts";
import { IssuedCredentials } from "./identity/issued-credentials.ts";
import { createBatchJobs } from "./mistral/batch-jobs.ts";
import { Replies } from "./replies.ts";
import { bearerHeader, refuseWithoutKey } from "./require-key.ts";
import { azureRoutes } from "./routes/azure.ts";
import { bedrockRoutes } from "./routes/bedrock.ts";
import { clearCalls, listCalls } from "./routes/call-log.ts";
import { chatCompletions } from "./routes/chat-completions.ts";
import { classificationRoute } from "./routes/classification.ts";
import { cohereRoutes } from "./routes/cohere.ts";
import { cohereChatRoute } from "./routes/cohere-chat.ts";
import { countTokensRoute } from "./routes/count-tokens.ts";
import { deepgramRoutes } from "./routes/deepgram.ts";
import { elevenlabsRoutes } from "./routes/elevenlabs.ts";
import { embeddingsRoute } from "./routes/embeddings.ts";
import { googleRoutes } from "./routes/google.ts";
import { health } from "./routes/health.ts";
import { imagesRoute } from "./routes/images.ts";
import { jinaRoutes } from "./routes/jina.ts";
import { messages } from "./routes/messages.ts";
import { mistralChatRoute, mistralEmbeddingsRoute } from "./routes/mistral.ts";
import { mistralOcrRoutes } from "./routes/mistral-ocr.ts";
import { modelRoutes } from "./routes/models.ts";
import { ocrJobRoute, ocrJobsRoute, ocrRoute } from "./routes/ocr.ts";
import { putReply } from "./routes/replies.ts";
import { rerankRoute } from "./routes/rerank.ts";
import { responses } from "./routes/responses.ts";
import { speechRoute } from "./routes/speech.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { transcriptions } from "./routes/transcriptions.ts";
import { vertexRoutes } from "./routes/vertex.ts";
import { voices } from "./routes/voices.ts";
import { voyageRoutes } from "./routes/voyage.ts";
import { xaiRoutes } from "./routes/xai.ts";

/** A stand-in model provider that listens on its own port. */
export interface Simulator {
  /** `http://HOST:PORT`, without `/v1`. */
  readonly url: string;
  readonly calls: CallLog;
  /** The replies that the command `reply_id` names. */
  readonly replies: Replies;
  /** The credentials of its clouds, whose token servers fail on command. */
  readonly issued: IssuedCredentials;
  /**
   * Lets the pending calls finish at once: `delay_ms`, `gap_ms` and `trickle_ms` no longer apply to
   * them.
   */
  release(): void;
  /** Destroys the connections of all pending calls and frees the port. */
  close(): Promise<void>;
}

const unauthorized = { status: 401, message: "The key is missing." };

const ROUTES: readonly SimulatorRoute[] = [
  chatCompletions,
  messages,
  countTokensRoute,
  responses,
  googleRoutes,
  ...vertexRoutes,
  mistralChatRoute,
  cohereChatRoute,
  mistralEmbeddingsRoute,
  embeddingsRoute,
  rerankRoute,
  classificationRoute,
  imagesRoute,
  speechRoute,
  voices,
  transcriptions,
  ocrRoute,
  ocrJobsRoute,
  ocrJobRoute,
  ...mistralOcrRoutes,
  ...azureRoutes,
  ...refuseWithoutKey(cohereRoutes, {
    ...bearerHeader,
    refusal: { status: 401, message: "no api key supplied" },
  }),
  ...refuseWithoutKey(voyageRoutes, { ...bearerHeader, refusal: unauthorized }),
  ...refuseWithoutKey(jinaRoutes, { ...bearerHeader, refusal: unauthorized }),
  ...refuseWithoutKey(elevenlabsRoutes, { name: "xi-api-key", form: /./, refusal: unauthorized }),
  ...refuseWithoutKey(deepgramRoutes, {
    name: "authorization",
    form: /^Token \S/,
    refusal: unauthorized,
  }),
  ...xaiRoutes,
  ...modelRoutes,
  ...tokenRoutes,
  ...bedrockRoutes,
  listCalls,
  clearCalls,
  putReply,
  health,
];

/** Longer than the idle timeout of common client pools, so that the client closes first. */
const KEEP_ALIVE_MS = 75_000;

/**
 * Starts a simulator. Port 0 picks a free port. The host `*` is all addresses of the machine, of both families. Rejects when the port is in use.
 * `nowMs` is the clock of `created` and of the call log.
 */
export async function startSimulator(options: {
  port: number;
  host?: string;
  nowMs?: () => number;
}): Promise<Simulator> {
  const { port, host = "127.0.0.1", nowMs = Date.now } = options;
  let releasing = new AbortController();
  const state: SimulatorState = {
    calls: createCallLog(),
    callCounter: createCallCounter(),
    batchJobs: createBatchJobs(),
    replies: new Replies(),
    issued: new IssuedCredentials(nowMs),
    released: () => releasing.signal,
    nowMs,
  };
  const table = new Map(ROUTES.map((route) => [`${route.method} ${route.path}`, route]));
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void serve(table, state, request, response);
  });
  const live = createLiveUpgrade(state);
  server.on("upgrade", live.accept);
  // Without a host, Node listens on `::`, or on `0.0.0.0` where the machine has no IPv6.
  server.listen(port, host === "*" ? undefined : host);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `http://${hostInUrl(host)}:${address.port}`,
    calls: state.calls,
    replies: state.replies,
    issued: state.issued,
    release() {
      releasing.abort();
      releasing = new AbortController();
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      live.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  table: ReadonlyMap<string, SimulatorRoute>,
  state: SimulatorState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = openCall(state, request, response);
  response.setHeader("x-request-id", `sim_${randomUUID()}`);
  const route = wildcardsOf(call.path)
    .map((path) => table.get(`${request.method} ${path}`))
    .find((found) => found !== undefined);
  try {
    if (route === undefined) {
      sendProviderError(call, { status: 404, message: `no route ${request.method} ${call.path}` });
      return;
    }
    await route.handle(call);
  } catch (error) {
    if (!call.disconnected.aborted) sendInternalError(call, error);
  }
}

/** Returns the paths of routes that a path may match: itself, and those with one segment of `*`. */
function wildcardsOf(path: string): string[] {
  const segments = path.split("/");
  const last = [...segments.slice(0, -1), "*"];
  const inner = [...segments.slice(0, -2), "*", ...segments.slice(-1)];
  return [path, last.join("/"), inner.join("/")];
}

function sendInternalError(call: SimulatorCall, error: unknown): void {
  if (call.response.headersSent) {
    call.response.destroy();
    return;
  }
  sendProviderError(call, { status: 500, message: `the simulator failed: ${String(error)}` });
}

function hostInUrl(host: string): string {
  if (host === "*") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
