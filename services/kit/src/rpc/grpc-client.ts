import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  Client,
  credentials,
  type CallOptions as GrpcCallOptions,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { PeerError } from "../errors.ts";
import type { Transport } from "./client.ts";
import { fromStatus } from "./error-metadata.ts";
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
  // The status of a call that is left early comes as an event that nobody waits for.
  call.on("error", () => {});
  const cancel = () => call.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    for await (const message of call) yield message as Message;
  } catch (error) {
    throw isServiceError(error) ? fromStatus(error) : error;
  } finally {
    signal?.removeEventListener("abort", cancel);
    call.cancel();
  }
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
