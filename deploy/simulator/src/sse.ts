import { type Call, cut, write } from "./call.ts";
import type { Commands } from "./commands.ts";
import { trickle } from "./trickle.ts";

/** A stream of server-sent events under way. Its waits reject when the client leaves. */
export interface EventWriter {
  data(payload: string): Promise<void>;
  end(): void;
  /** Destroys the connection once what was sent has gone out. */
  cut(): void;
}

type Manners = Pick<Commands, "comment" | "crlf" | "one_write" | "trickle_ms">;

/** Sends the headers of an event stream with status 200; events follow in the given manners. */
export function openEvents(call: Call, manners: Manners): EventWriter {
  const lineEnd = manners.crlf ? "\r\n" : "\n";
  const held: string[] = [];
  call.response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });

  async function put(line: string): Promise<void> {
    const event = line + lineEnd + lineEnd;
    if (manners.one_write) {
      held.push(event);
      return;
    }
    if (manners.trickle_ms) await trickle(call, Buffer.from(event), manners.trickle_ms);
    else await write(call, event);
  }

  return {
    async data(payload) {
      if (manners.comment) await put(": keep-alive");
      await put(`data: ${payload}`);
    },
    end() {
      call.response.end(held.join(""));
    },
    cut() {
      if (held.length > 0) call.response.write(held.join(""));
      cut(call);
    },
  };
}
