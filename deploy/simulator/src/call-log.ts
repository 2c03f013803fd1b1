/**
 * The outcome of a call.
 * - `open`: the call is still pending
 * - `completed`: the complete response was written
 * - `failed`: an error status was sent
 * - `refused`: the connection was destroyed before the first byte
 * - `hung`: nothing was sent until the client disconnected
 * - `cut`: the connection was destroyed in the middle of the response
 * - `ended_early`: a stream ended cleanly without a finish reason
 * - `error_event`: a stream ended with an error event
 * - `garbage`: the response was completed but contained invalid JSON
 * - `client_disconnected`: the client disconnected before the response was complete
 */
export type CallOutcome =
  | "open"
  | "completed"
  | "failed"
  | "refused"
  | "hung"
  | "cut"
  | "ended_early"
  | "error_event"
  | "garbage"
  | "client_disconnected";

/** One call and its response so far. Recorded on arrival and updated until the call ends. */
export interface RecordedCall {
  /** Starts at 1 and increases by one with each call; never reused. */
  readonly seq: number;
  /** When the call arrived, in Unix milliseconds. */
  readonly at: number;
  readonly route: string;
  readonly model: string;
  readonly stream: boolean;
  /** The choices or images that the request asks for. */
  readonly n: number;
  /** The request's `user`. Tests find their own calls by it. */
  readonly user: string | null;
  /** Whether the request carried a bearer token or an `x-api-key`. */
  readonly authorized: boolean;
  /** The caller's `X-Client-Request-Id`. */
  readonly requestId: string | null;
  /** The caller's W3C `traceparent`. */
  readonly traceparent: string | null;
  /** The headers that only the vendor's API has. */
  readonly vendorHeaders: Readonly<Record<string, string>>;
  /** The announced bytes of the body; 0 where the caller announced none. */
  readonly contentLength: number;
  /** The HTTP status; 0 until it is sent. */
  status: number;
  outcome: CallOutcome;
  /** As reported, or as it would be reported when a command omits usage. */
  promptTokens: number;
  /** As reported. For a stream that did not complete: the tokens that were sent. */
  completionTokens: number;
  /** Characters of generated text sent on a stream, all choices together; 0 for JSON. */
  charactersSent: number;
  /** Stream chunks sent, the usage chunk included; 0 for JSON. */
  chunksSent: number;
  /** Bytes of audio sent by speech; 0 elsewhere. */
  bytesSent: number;
  /** The upload of a transcription or OCR: the complete body, or all PCM of a live stream. */
  upload: RecordedUpload | undefined;
  /** The parsed request. Stored for the latest calls only, and only when it is not too large. */
  body: unknown;
}

export interface RecordedUpload {
  contentType: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  lang: string | undefined;
}

export interface CallLog {
  record(call: {
    at: number;
    route: string;
    model: string;
    stream: boolean;
    n?: number;
    user: string | null;
    authorized: boolean;
    requestId?: string | null;
    traceparent?: string | null;
    vendorHeaders?: Record<string, string>;
    contentLength?: number;
    body: unknown;
  }): RecordedCall;
  /** Returns calls, oldest first; with `since`, only those with a higher `seq`. */
  list(filter?: { user?: string | undefined; since?: number | undefined }): RecordedCall[];
  /** Removes all calls. `seq` continues where it was. */
  clear(): void;
}

/** Above this number the oldest calls are dropped. */
const CALL_LIMIT = 100_000;

/** Bodies are stored for this many of the latest calls. */
const BODY_LIMIT = 100;

export function createCallLog(callLimit = CALL_LIMIT, bodyLimit = BODY_LIMIT): CallLog {
  let ring: RecordedCall[] = [];
  let nextSeq = 1;
  let oldestSeq = 1;

  return {
    record(call) {
      const recorded: RecordedCall = {
        seq: nextSeq,
        at: call.at,
        route: call.route,
        model: call.model,
        stream: call.stream,
        n: call.n ?? 1,
        user: call.user,
        authorized: call.authorized,
        requestId: call.requestId ?? null,
        traceparent: call.traceparent ?? null,
        vendorHeaders: call.vendorHeaders ?? {},
        contentLength: call.contentLength ?? 0,
        status: 0,
        outcome: "open",
        promptTokens: 0,
        completionTokens: 0,
        charactersSent: 0,
        chunksSent: 0,
        bytesSent: 0,
        upload: undefined,
        body: call.body,
      };
      ring[nextSeq % callLimit] = recorded;
      nextSeq += 1;
      oldestSeq = Math.max(oldestSeq, nextSeq - callLimit);
      const stale = ring[(recorded.seq - bodyLimit) % callLimit];
      if (stale !== undefined && stale !== recorded) stale.body = undefined;
      return recorded;
    },
    list({ user, since = 0 } = {}) {
      const found: RecordedCall[] = [];
      for (let seq = Math.max(oldestSeq, since + 1); seq < nextSeq; seq += 1) {
        const recorded = ring[seq % callLimit];
        if (recorded !== undefined && (user === undefined || recorded.user === user))
          found.push(recorded);
      }
      return found;
    },
    clear() {
      ring = [];
      oldestSeq = nextSeq;
    },
  };
}
