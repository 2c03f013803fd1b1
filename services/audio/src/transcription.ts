import type { IncomingMessage, ServerResponse } from "node:http";
import { GatewayError } from "@tollgate/kit/errors";
import {
  answerError,
  answerErrorEarly,
  notFound,
  toGatewayError,
} from "@tollgate/kit/http/error-answer";
import { readStampedCaller } from "@tollgate/kit/http/stamped-caller";
import type { Log } from "@tollgate/kit/log";
import type { Modality } from "@tollgate/kit/modality";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { RelayedRefusal, transcribe } from "./batch.ts";
import { answerEvents } from "./events-answer.ts";
import { streamTranscription } from "./stream.ts";
import { readUpload, withSpool } from "./upload.ts";

/** POST /v1/audio/transcriptions, as the edge proxies it. */
export async function answerTranscription(
  modality: Modality,
  log: Log,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) left.abort(new Error("the client left"));
  });
  try {
    refuseAddress(req);
    await answer(modality, readStampedCaller(req.headers), { req, res, signal: left.signal });
  } catch (error) {
    if (left.signal.aborted) return void res.destroy();
    if (error instanceof RelayedRefusal) return relay(res, error);
    const failure = toGatewayError(error, log);
    if (res.headersSent) return void res.destroy();
    if (req.complete) answerError(res, failure);
    else answerErrorEarly(req, res, failure);
  }
}

interface Proxied {
  req: IncomingMessage;
  res: ServerResponse;
  signal: AbortSignal;
}

async function answer(modality: Modality, caller: Caller, proxied: Proxied): Promise<void> {
  const { req, res, signal } = proxied;
  await withSpool(async (spool) => {
    const upload = await readUpload(req, spool);
    if (upload.stream) {
      await answerEvents(res, streamTranscription(modality, caller, upload, signal), signal);
      return;
    }
    const body = await transcribe(modality, caller, upload, signal);
    res.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "content-length": body.byteLength,
    });
    res.end(body);
  });
}

function refuseAddress({ url = "/" }: IncomingMessage): void {
  const { pathname, searchParams } = new URL(url, "http://edge");
  if (pathname !== "/v1/audio/transcriptions") throw notFound();
  const [name] = searchParams.keys();
  if (name === undefined) return;
  const param = name.slice(0, 200);
  throw new GatewayError("unknown_param", `${param} is not a parameter of this route.`, { param });
}

/** A refusal that another try with the same language would only meet again. */
function relay(res: ServerResponse, { refusal }: RelayedRefusal): void {
  res.writeHead(502, {
    ...(refusal.contentType === "" ? {} : { "content-type": refusal.contentType }),
    "content-length": refusal.body.byteLength,
    "x-should-retry": "false",
  });
  res.end(refusal.body);
}
