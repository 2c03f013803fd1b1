import { setTimeout as sleep } from "node:timers/promises";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  type Client,
  type ClientReadableStream,
  type CallOptions as GrpcCallOptions,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { PeerError } from "../errors.ts";
import { secretHeader, type Trust } from "../trust.ts";
import type { Transport } from "./client.ts";
import { errorIn, fromStatus } from "./error-metadata.ts";
import { deserializer, serializer } from "./grpc-channel.ts";
import { createClients, somePeer } from "./grpc-clients.ts";
import { type CallOptions, defaultTimeoutMs } from "./implementation.ts";

export interface GrpcTransport extends Transport {
  close(): void;
}

/** How long a call waits for a peer that has just gone and may be starting again. */
const peerPatienceMs = 1_000;
/** Calls at once meet the replicas in no order: one may meet the same a few times. */
const firstRetryMs = 2;
const longestRetryMs = 20;

/**
 * Calls over one HTTP/2 connection to each replica behind `address` (`host:port`, several IP
 * addresses with commas between them, `dns:///…` or `unix:path`), made when first needed and made
 * anew when lost. Calls go to the replicas in turn; one that is refused since its replica takes
 * nothing new goes on to another.
 */
export function createGrpcTransport(address: string, trust: Trust): GrpcTransport {
  const clients = createClients(address);
  const shown = new Metadata();
  if (trust.secret !== undefined) shown.set(secretHeader, trust.secret);
  return {
    async unary(method, request, options) {
      const retry = createRetry(options);
      for (;;) {
        const { client, release } = clients.lease();
        try {
          await somePeer(client, retry.patienceMs());
          return await unary(client, shown.clone(), method, request, options);
        } catch (error) {
          await retry.unlessFinal(error);
        } finally {
          release();
        }
      }
    },
    async *serverStream(method, request, options) {
      const retry = createRetry(options);
      for (;;) {
        const { client, release } = clients.lease();
        try {
          await somePeer(client, retry.patienceMs());
          const stream = openStream(client, shown.clone(), method, request, options);
          try {
            const refusal = await stream.begun();
            if (refusal === undefined) return yield* stream.messages();
            await retry.unlessFinal(refusal);
          } finally {
            stream.close();
          }
        } finally {
          release();
        }
      }
    },
    close: clients.close,
  };
}

/** A replica that ends has done nothing of a call that it refuses: another can be asked. */
function createRetry({ signal, timeoutMs = defaultTimeoutMs }: CallOptions) {
  const startedAt = performance.now();
  const mostMs = Math.min(peerPatienceMs, timeoutMs / 2);
  let pauseMs = firstRetryMs;
  const patienceMs = () => mostMs - (performance.now() - startedAt);
  return {
    patienceMs,
    async unlessFinal(error: unknown): Promise<void> {
      const isDraining = error instanceof PeerError && error.reason === "draining";
      if (!isDraining || signal?.aborted || patienceMs() <= 0) throw error;
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestRetryMs);
    },
  };
}

function unary(
  client: Client,
  metadata: Metadata,
  method: DescMethod,
  request: Message,
  options: CallOptions,
): Promise<Message> {
  const { signal } = options;
  if (signal?.aborted) throw new PeerError("cancelled", "the caller went away");
  return new Promise((resolve, reject) => {
    const cancel = () => call.cancel();
    const call = client.makeUnaryRequest(
      pathOf(method),
      serializer(method.input),
      deserializer(method.output),
      request,
      metadata,
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

function openStream(
  client: Client,
  metadata: Metadata,
  method: DescMethod,
  request: Message,
  options: CallOptions,
) {
  const { signal } = options;
  if (signal?.aborted) throw new PeerError("cancelled", "the caller went away");
  const call = client.makeServerStreamRequest(
    pathOf(method),
    serializer(method.input),
    deserializer(method.output),
    request,
    metadata,
    limits(options),
  );
  const cancel = () => call.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  return {
    ...readerOf(call),
    close() {
      signal?.removeEventListener("abort", cancel);
      call.cancel();
    },
  };
}

/**
 * The messages of a call, then the error with which it ended, if it did. An error event overtakes
 * messages that are still buffered, so it is kept until they have been read.
 */
function readerOf(call: ClientReadableStream<Message>) {
  let failure: Error | undefined;
  call.on("error", (error) => {
    failure = error;
  });
  call.on("status", ({ metadata }) => {
    failure ??= errorIn(metadata);
  });
  let wake = () => {};
  for (const event of ["readable", "end", "close", "error", "status"]) call.on(event, () => wake());
  let first: Message | null = null;

  /** The next message; null once there is none. */
  async function next(): Promise<Message | null> {
    for (;;) {
      const message = call.read() as Message | null;
      if (message !== null || call.readableEnded || call.destroyed) return message;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  const ending = () =>
    failure !== undefined && isServiceError(failure) ? fromStatus(failure) : failure;

  return {
    /** Resolves once there is a message, or with the error of a call that ended without any. */
    async begun(): Promise<Error | undefined> {
      first = await next();
      return first === null ? ending() : undefined;
    },
    async *messages(): AsyncGenerator<Message> {
      for (let message = first; message !== null; message = await next()) yield message;
      const error = ending();
      if (error !== undefined) throw error;
    },
  };
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
