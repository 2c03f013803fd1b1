import { once } from "node:events";
import { WebSocket } from "ws";
import { pcm } from "./audio-files.ts";
import type { Stack, TestAccount } from "./stack.ts";

export const livePath = "/v1/audio/transcriptions/stream";

export interface Frame {
  type?: string;
  duration?: number;
  speaker?: string;
  error?: { code: string; message: string; param?: string; retryable: boolean };
}

/** One live transcription, with the frames received so far. */
export interface Live {
  socket: WebSocket;
  requestId: string;
  frames: Frame[];
  /** Resolves with the close code. */
  closed: Promise<number>;
}

/** Opens live transcriptions; `key` and `url` default to the account's key and the stack's URL. */
export interface LiveClient {
  open(key?: string, url?: string): Promise<Live>;
  /** Opens one and sends its configuration. */
  start(config?: object, key?: string, url?: string): Promise<Live>;
}

export function liveClient(stack: Stack, account: TestAccount): LiveClient {
  async function open(key: string = account.key, url: string = stack.url): Promise<Live> {
    const socket = new WebSocket(`${url.replace("http", "ws")}${livePath}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const frames: Frame[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(String(data)) as Frame));
    const closed = once(socket, "close").then(([code]) => code as number);
    // A socket that is refused rejects below.
    closed.catch(() => {});
    const [[response]] = await Promise.all([once(socket, "upgrade"), once(socket, "open")]);
    return { socket, requestId: String(response.headers["x-request-id"]), frames, closed };
  }

  return {
    open,
    async start(config = {}, key, url) {
      const live = await open(key, url);
      live.socket.send(JSON.stringify({ model: "test-hear", format: "pcm_s16le", ...config }));
      return live;
    },
  };
}

/** Sends so many seconds of audio at once, in frames of `frameBytes`. */
export function talk({ socket }: Live, seconds: number, frameBytes = 3_200): void {
  const audio = pcm(seconds);
  for (let at = 0; at < audio.length; at += frameBytes) {
    socket.send(audio.subarray(at, at + frameBytes));
  }
}

/** Returns the durations of the final transcripts received so far, in seconds. */
export function finals({ frames }: Live): (number | undefined)[] {
  return frames.filter(({ type }) => type === "transcription.final").map((one) => one.duration);
}

export function partials({ frames }: Live): Frame[] {
  return frames.filter(({ type }) => type === "transcription.partial");
}
