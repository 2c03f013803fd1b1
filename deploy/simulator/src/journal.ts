/**
 * How a call went.
 * - `open`: still under way
 * - `completed`: the whole answer was written
 * - `failed`: an error status was answered
 * - `refused`: the connection was destroyed before any byte
 * - `hung`: no answer until the client left
 * - `cut`: the connection was destroyed within the answer
 * - `ended_early`: a stream ended cleanly without a finish
 * - `error_event`: a stream ended with an error event
 * - `garbage`: the answer was completed but held what is not JSON
 * - `client_left`: the client left before the answer was complete
 */
export type Outcome =
  | "open"
  | "completed"
  | "failed"
  | "refused"
  | "hung"
  | "cut"
  | "ended_early"
  | "error_event"
  | "garbage"
  | "client_left";

/** What one call asked and what it got. An entry is made on arrival and grows with its call. */
export interface JournalEntry {
  /** Rises by one a call, from 1, and is never used again. */
  readonly seq: number;
  /** When the call arrived, in Unix milliseconds. */
  readonly at: number;
  readonly route: string;
  readonly model: string;
  readonly stream: boolean;
  /** The request's `user`, by which a test finds its own calls. */
  readonly user: string | null;
  /** Whether a bearer secret came along. */
  readonly authorized: boolean;
  /** What the caller calls this request, in `X-Client-Request-Id`. */
  readonly requestId: string | null;
  /** The caller's W3C trace context. */
  readonly traceparent: string | null;
  /** The HTTP status, 0 while none is sent. */
  status: number;
  outcome: Outcome;
  /** As reported, or as it would be reported where the call is told to leave usage out. */
  promptTokens: number;
  /** As reported. A stream that does not complete counts the tokens that it sent. */
  completionTokens: number;
  /** Characters of generated text sent on a stream, all choices together; 0 for JSON. */
  charactersSent: number;
  /** Stream chunks sent, the usage chunk included; 0 for JSON. */
  chunksSent: number;
  /** Bytes of audio sent by speech; 0 elsewhere. */
  bytesSent: number;
  /** What a transcription or OCR was sent: the whole body, or all PCM of a live stream. */
  upload: Upload | undefined;
  /** The request as parsed. Only the latest calls with bodies of modest size keep theirs. */
  body: unknown;
}

export interface Upload {
  contentType: string;
  bytes: number;
  /** In hex. */
  sha256: string;
  lang: string | undefined;
}

export interface Journal {
  open(call: {
    at: number;
    route: string;
    model: string;
    stream: boolean;
    user: string | null;
    authorized: boolean;
    requestId?: string | null;
    traceparent?: string | null;
    body: unknown;
  }): JournalEntry;
  /** Oldest first; `since` leaves out that `seq` and all before it. */
  list(filter?: { user?: string | undefined; since?: number | undefined }): JournalEntry[];
  /** Forgets all entries; `seq` goes on. */
  clear(): void;
}

/** The oldest entries go when there are more than this. */
const ENTRY_LIMIT = 100_000;

/** Only this many of the latest calls keep their bodies. */
const BODY_LIMIT = 100;

export function createJournal(entryLimit = ENTRY_LIMIT, bodyLimit = BODY_LIMIT): Journal {
  let ring: JournalEntry[] = [];
  let nextSeq = 1;
  let oldestSeq = 1;

  return {
    open(call) {
      const entry: JournalEntry = {
        seq: nextSeq,
        at: call.at,
        route: call.route,
        model: call.model,
        stream: call.stream,
        user: call.user,
        authorized: call.authorized,
        requestId: call.requestId ?? null,
        traceparent: call.traceparent ?? null,
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
      ring[nextSeq % entryLimit] = entry;
      nextSeq += 1;
      oldestSeq = Math.max(oldestSeq, nextSeq - entryLimit);
      const stale = ring[(entry.seq - bodyLimit) % entryLimit];
      if (stale !== undefined && stale !== entry) stale.body = undefined;
      return entry;
    },
    list({ user, since = 0 } = {}) {
      const found: JournalEntry[] = [];
      for (let seq = Math.max(oldestSeq, since + 1); seq < nextSeq; seq += 1) {
        const entry = ring[seq % entryLimit];
        if (entry !== undefined && (user === undefined || entry.user === user)) found.push(entry);
      }
      return found;
    },
    clear() {
      ring = [];
      oldestSeq = nextSeq;
    },
  };
}
