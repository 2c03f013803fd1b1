import { type DescMethod, fromBinary, type Message } from "@bufbuild/protobuf";
import { PeerError } from "@tollgate/core/errors";
import { createSignal } from "@tollgate/core/signal";
import { afterArrivals, deadlineError, errorOfCancel } from "../cancellation.ts";
import type { EncodedMessage } from "../encoded-message.ts";
import { type CallOptions, defaultTimeoutMs } from "../implementation.ts";
import { nameOf } from "../method-name.ts";
import type { ResponseStream } from "../response-stream.ts";
import type { MuxCall, MuxClient } from "./mux-client.ts";

/** Makes a unary call on a mux. */
export async function muxUnary(
  mux: MuxClient,
  method: DescMethod,
  request: EncodedMessage,
  options: CallOptions,
): Promise<Message> {
  const response = await new Promise<Uint8Array | undefined>((resolve, reject) => {
    let message: Uint8Array | undefined;
    const call = mux.start(openOf(method, options), request, {
      onMessage(bytes) {
        message = bytes;
      },
      onEnd(error) {
        stopWatching();
        if (error === undefined) resolve(message);
        else reject(error);
      },
    });
    const stopWatching = watchLimits(options, (error) => {
      endCall(call, error);
      reject(error);
    });
  });
  if (response === undefined) throw new PeerError("unavailable", "the response has no message");
  return fromBinary(method.output, response);
}

/** Makes a server-streaming call on a mux. */
export function muxStream(
  mux: MuxClient,
  method: DescMethod,
  request: EncodedMessage,
  options: CallOptions,
): ResponseStream {
  const unread: { bytes: Uint8Array; credit: number }[] = [];
  let ended: { error: Error | undefined } | undefined;
  const changed = createSignal();
  const call = mux.start(openOf(method, options), request, {
    onMessage(bytes, credit) {
      unread.push({ bytes, credit });
      changed.notify();
    },
    onEnd: end,
  });
  const stopWatching = watchLimits(options, (error) => {
    endCall(call, error);
    end(error);
  });

  function end(error: Error | undefined): void {
    stopWatching();
    ended = { error };
    changed.notify();
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
        await changed.wait();
      }
    },
    close() {
      stopWatching();
      call.cancel(true);
    },
  };
}

function openOf(method: DescMethod, { timeoutMs = defaultTimeoutMs, trace }: CallOptions) {
  return { method: nameOf(method), timeoutMs, ...trace };
}

/** Ends a call that reached a limit. The server ends it at its deadline by itself. */
function endCall(call: MuxCall, { reason }: PeerError): void {
  if (reason === "deadline") call.drop();
  else call.cancel(reason === "cancelled");
}

/**
 * Calls `onLimit` once when the timeout passes or the caller's signal aborts, unless the returned
 * function is called before.
 */
function watchLimits(
  { signal, timeoutMs = defaultTimeoutMs }: CallOptions,
  onLimit: (error: PeerError) => void,
): () => void {
  const onTimeout = () => afterArrivals(() => reach(deadlineError(timeoutMs)));
  const onAbort = () => reach(errorOfCancel(signal));
  const timer = setTimeout(onTimeout, timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  let isStopped = false;
  function stop(): void {
    isStopped = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
  function reach(error: PeerError): void {
    if (isStopped) return;
    stop();
    onLimit(error);
  }
  return stop;
}
