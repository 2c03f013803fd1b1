import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  Client,
  type ClientReadableStream,
  credentials,
  type CallOptions as GrpcCallOptions,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { PeerError } from "../errors.ts";
import type { Transport } from "./client.ts";
import { errorIn, fromStatus } from "./error-metadata.ts";
import { channelOptions, deserializer, serializer } from "./grpc-channel.ts";
import { type CallOptions, defaultTimeoutMs } from "./implementation.ts";

export interface GrpcTransport extends Transport {
  close(): void;
}

/**
 * Calls over one HTTP/2 connection to each replica behind `address` (`host:port`, `dns:///…` or
 * `unix:path`), made when first needed and made anew when lost.
 */
export function createGrpcTransport(address: string): GrpcTransport {
  const client = new Client(address, credentials.createInsecure(), channelOptions);
  return {
    unary: (method, request, options) => unary(client, method, request, options),
    serverStream: (method, request, options) => serverStream(client, method, request, options),
    close: () => client.close(),
  };
}

function unary(
  client: Client,
  method: DescMethod,
  request: Message,
  options: CallOptions,
): Promise<Message> {
  const { signal } = options;
  if (signal?.aborted) return Promise.reject(new PeerError("cancelled", "the caller went away"));
  return new Promise((resolve, reject) => {
    const cancel = () => call.cancel();
    const call = client.makeUnaryRequest(
      pathOf(method),
      serializer(method.input),
      deserializer(method.output),
      request,
      new Metadata(),
      limits(options),
      (error, answer) => {
        signal?.removeEventListener("abort", cancel);
        if (error !== null) return reject(fromStatus(error));
        resolve(answer as Message);
      },
    );
    signal?.addEventListener("abort", cancel, { once: true });
  });
}

async function* serverStream(
  client: Client,
  method: DescMethod,
  request: Message,
  options: CallOptions,
): AsyncGenerator<Message> {
  const { signal } = options;
  if (signal?.aborted) throw new PeerError("cancelled", "the caller went away");
  const call = client.makeServerStreamRequest(
    pathOf(method),
    serializer(method.input),
    deserializer(method.output),
    request,
    new Metadata(),
    limits(options),
  );
  const cancel = () => call.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    yield* readMessages(call);
  } finally {
    signal?.removeEventListener("abort", cancel);
    call.cancel();
  }
}

/**
 * The messages of a call, then the error with which it ended, if it did. An error event overtakes
 * messages that are still buffered, so it is kept until they have been read.
 */
async function* readMessages(call: ClientReadableStream<Message>): AsyncGenerator<Message> {
  let failure: Error | undefined;
  call.on("error", (error) => {
    failure = error;
  });
  call.on("status", ({ metadata }) => {
    failure ??= errorIn(metadata);
  });
  let wake = () => {};
  for (const event of ["readable", "end", "close", "error", "status"]) call.on(event, () => wake());
  for (;;) {
    const message = call.read() as Message | null;
    if (message !== null) yield message;
    else if (call.readableEnded || call.destroyed) break;
    else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  if (failure !== undefined) throw isServiceError(failure) ? fromStatus(failure) : failure;
}

function limits(options: CallOptions): GrpcCallOptions {
  return { deadline: Date.now() + (options.timeoutMs ?? defaultTimeoutMs) };
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "metadata" in error;
}
