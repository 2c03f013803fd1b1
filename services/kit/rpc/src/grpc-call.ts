import type { DescMethod, Message } from "@bufbuild/protobuf";
import type {
  Client,
  ClientReadableStream,
  CallOptions as GrpcCallOptions,
  Metadata,
  ServiceError,
} from "@grpc/grpc-js";
import { createSignal } from "@tollgate/core/signal";
import { asBuffer, deserializer } from "./grpc-channel.ts";
import { errorIn, fromStatus } from "./grpc-status.ts";
import { type CallOptions, defaultTimeoutMs } from "./implementation.ts";
import { nameOf } from "./method-name.ts";
import type { ResponseStream } from "./response-stream.ts";

/** Makes a unary call as a gRPC call of its own. Sends a copy of `metadata`. */
export function grpcUnary(
  client: Client,
  metadata: Metadata,
  method: DescMethod,
  request: Uint8Array,
  options: CallOptions,
): Promise<Message> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const cancel = () => call.cancel();
    const call = client.makeUnaryRequest(
      `/${nameOf(method)}`,
      asBuffer,
      deserializer(method.output),
      request,
      withTrace(metadata, options),
      limits(options),
      (error, response) => {
        signal?.removeEventListener("abort", cancel);
        if (error !== null) return reject(fromStatus(error));
        resolve(response as Message);
      },
    );
    signal?.addEventListener("abort", cancel, { once: true });
  });
}

/** Makes a server-streaming call as a gRPC call of its own. Sends a copy of `metadata`. */
export function grpcStream(
  client: Client,
  metadata: Metadata,
  method: DescMethod,
  request: Uint8Array,
  options: CallOptions,
): ResponseStream {
  const { signal } = options;
  const call = client.makeServerStreamRequest(
    `/${nameOf(method)}`,
    asBuffer,
    deserializer(method.output),
    request,
    withTrace(metadata, options),
    limits(options),
  );
  const cancel = () => call.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  return {
    next: readerOf(call),
    close() {
      signal?.removeEventListener("abort", cancel);
      call.cancel();
    },
  };
}

/**
 * Returns the messages of a call, then throws the error with which it ended, if any. grpc-js emits
 * an error while earlier messages are still buffered, so the error is held until they are read.
 */
function readerOf(call: ClientReadableStream<Message>): ResponseStream["next"] {
  let failure: Error | undefined;
  call.on("error", (error) => {
    failure = error;
  });
  call.on("status", ({ metadata }) => {
    failure ??= errorIn(metadata);
  });
  const changed = createSignal();
  for (const event of ["readable", "end", "close", "error", "status"]) {
    call.on(event, changed.notify);
  }

  return async () => {
    for (;;) {
      const message = call.read() as Message | null;
      if (message !== null) return message;
      if (call.readableEnded || call.destroyed) break;
      await changed.wait();
    }
    if (failure !== undefined) throw isServiceError(failure) ? fromStatus(failure) : failure;
    return null;
  };
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
