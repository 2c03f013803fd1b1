import { cutConnection, type SimulatorCall, write } from "./call.ts";
import type { Commands } from "./commands.ts";
import { trickle } from "./trickle.ts";

/** Writes a stream of server-sent events. Its methods reject when the client disconnects. */
export interface EventWriter {
  data(payload: string): Promise<void>;
  /** Writes an event with a name. */
  event(name: string, payload: string): Promise<void>;
  /** Writes the first half of an event with a name, and ends the stream. */
  endWithin(name: string, payload: string): void;
  end(): void;
  /** Sends what was written, then destroys the connection. */
  cut(): void;
}

type WriteOptions = Pick<Commands, "comment" | "crlf" | "one_write" | "trickle_ms">;

/** Sends the headers of an event stream with status 200. The options shape how events are sent. */
export function openEvents(call: SimulatorCall, options: WriteOptions): EventWriter {
  const lineEnd = options.crlf ? "\r\n" : "\n";
  const buffered: string[] = [];
  call.response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });

  async function put(line: string): Promise<void> {
    const event = line + lineEnd + lineEnd;
    if (options.one_write) {
      buffered.push(event);
      return;
    }
    if (options.trickle_ms) await trickle(call, Buffer.from(event), options.trickle_ms);
    else await write(call, event);
  }

  return {
    async data(payload) {
      if (options.comment) await put(": keep-alive");
      await put(`data: ${payload}`);
    },
    async event(name, payload) {
      if (options.comment) await put(": keep-alive");
      await put(`event: ${name}${lineEnd}data: ${payload}`);
    },
    endWithin(name, payload) {
      const event = `event: ${name}${lineEnd}data: ${payload.slice(0, payload.length / 2)}`;
      call.response.end(buffered.join("") + event);
    },
    end() {
      call.response.end(buffered.join(""));
    },
    cut() {
      if (buffered.length > 0) call.response.write(buffered.join(""));
      cutConnection(call);
    },
  };
}
