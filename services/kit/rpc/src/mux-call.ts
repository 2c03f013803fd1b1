import { type DescMethod, fromBinary, type Message } from "@bufbuild/protobuf";
import { PeerError } from "@tollgate/core/errors";
import { callerGone } from "./cancelled-caller.ts";
import { type CallOptions, defaultTimeoutMs } from "./implementation.ts";
import { nameOf } from "./method-name.ts";
import type { Trunk } from "./mux-client.ts";
import type { AnswerStream } from "./response-stream.ts";

/** A call on a trunk that is answered once. */
export async function trunkUnary(
  trunk: Trunk,
  method: DescMethod,
  request: Uint8Array,
  options: CallOptions,
): Promise<Message> {
  const answer = await new Promise<Uint8Array | undefined>((resolve, reject) => {
    let message: Uint8Array | undefined;
    const call = trunk.begin(openOf(method, options), request, {
      message(bytes) {
        message = bytes;
      },
      end(error) {
        stopClock();
        if (error === undefined) resolve(message);
        else reject(error);
      },
    });
    const stopClock = startClock(options, (error) => {
      call.cancel();
      reject(error);
    });
  });
  if (answer === undefined) throw new PeerError("unavailable", "the answer has no message");
  return fromBinary(method.output, answer);
}

/** A call on a trunk that is answered by a stream. */
export function trunkStream(
  trunk: Trunk,
  method: DescMethod,
  request: Uint8Array,
  options: CallOptions,
): AnswerStream {
  const unread: { bytes: Uint8Array; credit: number }[] = [];
  let ended: { error: Error | undefined } | undefined;
  let wake = () => {};
  const call = trunk.begin(openOf(method, options), request, {
    message(bytes, credit) {
      unread.push({ bytes, credit });
      wake();
    },
    end,
  });
  const stopClock = startClock(options, (error) => {
    call.cancel();
    end(error);
  });

  function end(error: Error | undefined): void {
    stopClock();
    ended = { error };
    wake();
  }

  return {
    async next() {
      for (;;) {
        const message = unread.shift();
        if (message !== undefined) {
          call.grant(message.credit);
          return fromBinary(method.output, message.bytes);
        }
        if (ended?.error !== undefined) throw ended.error;
        if (ended !== undefined) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close() {
      stopClock();
      call.cancel();
    },
  };
}

function openOf(method: DescMethod, { timeoutMs = defaultTimeoutMs, trace }: CallOptions) {
  return { method: nameOf(method), timeoutMs, ...trace };
}

/**
 * Calls `onLimit` when the call has taken too long or its caller goes away, unless it is stopped
 * before.
 */
function startClock(
  { signal, timeoutMs = defaultTimeoutMs }: CallOptions,
  onLimit: (error: PeerError) => void,
): () => void {
  const onTimeout = () => reach(new PeerError("deadline", `no answer within ${timeoutMs} ms`));
  const onAbort = () => reach(callerGone());
  const timer = setTimeout(onTimeout, timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  function stop(): void {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
  function reach(error: PeerError): void {
    stop();
    onLimit(error);
  }
  return stop;
}
