import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createLiveUpgrade } from "./audio/live-upgrade.ts";
import { type Call, openCall, type Route, type World } from "./call.ts";
import { answerError } from "./error-answer.ts";
import { createFirstCalls } from "./first-calls.ts";
import { createJournal, type Journal } from "./journal.ts";
import { chatCompletions } from "./routes/chat-completions.ts";
import { classification } from "./routes/classification.ts";
import { embeddings } from "./routes/embeddings.ts";
import { health } from "./routes/health.ts";
import { images } from "./routes/images.ts";
import { journalClear, journalRead } from "./routes/journal.ts";
import { ocr, ocrJob, ocrJobs } from "./routes/ocr.ts";
import { rerank } from "./routes/rerank.ts";
import { speech } from "./routes/speech.ts";
import { transcriptions } from "./routes/transcriptions.ts";
import { voices } from "./routes/voices.ts";

/** A stand-in model provider that listens on a port of its own. */
export interface Simulator {
  /** `http://HOST:PORT`, without `/v1`. */
  readonly url: string;
  readonly journal: Journal;
  /** Cuts every call under way and frees the port. */
  close(): Promise<void>;
}

const ROUTES: readonly Route[] = [
  chatCompletions,
  embeddings,
  rerank,
  classification,
  images,
  speech,
  voices,
  transcriptions,
  ocr,
  ocrJobs,
  ocrJob,
  journalRead,
  journalClear,
  health,
];

/** Longer than the idle time of common client pools, so that no pooled connection dies in use. */
const KEEP_ALIVE_MS = 75_000;

/**
 * Starts a simulator. Port 0 takes a free port. Rejects when the port is taken.
 * `nowMs` is the clock behind `created` and the journal's times.
 */
export async function startSimulator(options: {
  port: number;
  host?: string;
  nowMs?: () => number;
}): Promise<Simulator> {
  const { port, host = "127.0.0.1", nowMs = Date.now } = options;
  const world: World = { journal: createJournal(), firstCalls: createFirstCalls(), nowMs };
  const table = new Map(ROUTES.map((route) => [`${route.method} ${route.path}`, route]));
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void serve(table, world, request, response);
  });
  const live = createLiveUpgrade(world);
  server.on("upgrade", live.accept);
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host}:${address.port}`,
    journal: world.journal,
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
  table: ReadonlyMap<string, Route>,
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = openCall(world, request, response);
  const parent = call.path.slice(0, call.path.lastIndexOf("/"));
  const route =
    table.get(`${request.method} ${call.path}`) ?? table.get(`${request.method} ${parent}/*`);
  try {
    if (route === undefined) {
      answerError(call, { status: 404, message: `no route ${request.method} ${call.path}` });
      return;
    }
    await route.handle(call);
  } catch (error) {
    if (!call.left.aborted) answerBug(call, error);
  }
}

function answerBug(call: Call, error: unknown): void {
  if (call.response.headersSent) {
    call.response.destroy();
    return;
  }
  answerError(call, { status: 500, message: `the simulator failed: ${String(error)}` });
}
