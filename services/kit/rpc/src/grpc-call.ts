import type { DescMethod, Message } from "@bufbuild/protobuf";
import type {
  Client,
  ClientDuplexStream,
  ClientWritableStream,
  CallOptions as GrpcCallOptions,
  Metadata,
  ServiceError,
} from "@grpc/grpc-js";
import { callerLeftError } from "@tollgate/core/cancellation";
import type { PeerError } from "@tollgate/core/errors";
import { createSignal } from "@tollgate/core/signal";
import { errorOfCancel } from "./cancellation.ts";
import { asBuffer, deserializer } from "./grpc-channel.ts";
import { errorIn, fromStatus } from "./grpc-status.ts";
import { type CallOptions, defaultTimeoutMs } from "./implementation.ts";
import { nameOf } from "./method-name.ts";
import type { ResponseStream } from "./response-stream.ts";

/**
 * Makes a unary call as a gRPC call of its own. Sends a copy of `metadata`.
 *
 * The client's side stays open after the request. A second message says that the caller left: the server
 * cannot tell the reset of a call from the loss of its connection.
 */
export function grpcUnary(
  client: Client,
  metadata: Metadata,
  method: DescMethod,
  request: Uint8Array,
  options: CallOptions,
): Promise<Message> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const cancel = () => {
      const error = errorOfCancel(signal);
      reject(error);
      cancelCall(call, error);
    };
    const call = client.makeClientStreamRequest(
      `/${nameOf(method)}`,
      asBuffer,
      deserializer(method.output),
      withTrace(metadata, options),
      limits(options),
      (error, response) => {
        signal?.removeEventListener("abort", cancel);
        if (error !== null) return reject(fromStatus(error));
        resolve(response as Message);
      },
    );
    call.write(request);
    signal?.addEventListener("abort", cancel, { once: true });
  });
}

/** Makes a server-streaming call as a gRPC call of its own, as `grpcUnary` does a unary one. */
export function grpcStream(
  client: Client,
  metadata: Metadata,
  method: DescMethod,
  request: Uint8Array,
  options: CallOptions,
): ResponseStream {
  const { signal } = options;
  const call = client.makeBidiStreamRequest(
    `/${nameOf(method)}`,
    asBuffer,
    deserializer(method.output),
    withTrace(metadata, options),
    limits(options),
  );
  call.write(request);
  let failure: Error | undefined;
  let isOver = false;
  const changed = createSignal();
  // grpc-js emits an error while earlier messages are still buffered: it is thrown once they are read.
  call.on("error", (error) => {
    failure ??= error;
  });
  call.on("status", ({ metadata }) => {
    failure ??= errorIn(metadata);
    isOver = true;
  });
  for (const event of streamEvents) call.on(event, changed.notify);
  const cancel = (error: PeerError) => {
    if (isOver) return;
    isOver = true;
    failure ??= error;
    cancelCall(call, error);
    changed.notify();
  };
  const onAbort = () => cancel(errorOfCancel(signal));
  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    async next() {
      for (;;) {
        const message = call.read() as Message | null;
        if (message !== null) return message;
        if (call.readableEnded || call.destroyed || (isOver && failure !== undefined)) break;
        await changed.wait();
      }
      if (failure !== undefined) throw isServiceError(failure) ? fromStatus(failure) : failure;
      return null;
    },
    close() {
      signal?.removeEventListener("abort", onAbort);
      cancel(callerLeftError());
      // What the server still sends is discarded, so that it can end the call.
      call.removeListener("readable", changed.notify);
      call.resume();
    },
  };
}

const streamEvents = ["readable", "end", "close", "error", "status"];

type OpenCall = ClientWritableStream<Uint8Array> | ClientDuplexStream<Uint8Array, Message>;

/**
 * Cancels a call: by a second message where the caller left, upon which the server ends the call, and by a
 * reset where the caller failed or stops.
 */
function cancelCall(call: OpenCall, { reason }: PeerError): void {
  if (reason === "cancelled") call.end(new Uint8Array());
  else call.cancel();
}

function withTrace(shown: Metadata, { trace }: CallOptions): Metadata {
  const metadata = shown.clone();
  if (trace === undefined) return metadata;
  for (const [name, value] of Object.entries(trace)) metadata.set(name, value);
  return metadata;
}

function limits(options: CallOptions): GrpcCallOptions {
  return { deadline: Date.now() + (options.timeoutMs ?? defaultTimeoutMs) };
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "metadata" in error;
}
