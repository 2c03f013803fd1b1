import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  Client,
  type ClientReadableStream,
  connectivityState,
  credentials,
  type CallOptions as GrpcCallOptions,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { PeerError } from "../errors.ts";
import { secretHeader, type Trust } from "../trust.ts";
import type { Transport } from "./client.ts";
import { errorIn, fromStatus } from "./error-metadata.ts";
import { channelOptions, deserializer, serializer } from "./grpc-channel.ts";
import { type CallOptions, defaultTimeoutMs } from "./implementation.ts";

export interface GrpcTransport extends Transport {
  close(): void;
}

/** How long a call waits for a peer that has just gone and may be starting again. */
const peerPatienceMs = 1_000;

/**
 * Calls over one HTTP/2 connection to each replica behind `address` (`host:port`, several IP
 * addresses with commas between them, `dns:///…` or `unix:path`), made when first needed and made
 * anew when lost. Calls go to the replicas in turn, and to none that has said that it ends.
 */
export function createGrpcTransport(address: string, trust: Trust): GrpcTransport {
  const clients = createClients(address);
  const shown = new Metadata();
  if (trust.secret !== undefined) shown.set(secretHeader, trust.secret);
  const caller = () => ({ client: clients.current(), metadata: shown.clone() });
  return {
    unary: (method, request, options) => unary(caller(), method, request, options),
    serverStream: (method, request, options) => serverStream(caller(), method, request, options),
    close: clients.close,
  };
}

interface Caller {
  client: Client;
  metadata: Metadata;
}

/** How soon a new replica behind a name is found. */
const lookUpEveryMs = 30_000;

/**
 * gRPC looks a name up again only when a connection has failed, and so would never find a replica
 * that was added. A new client looks it up; it shares the connections that there are. The one before
 * it stays for calls that still look for a connection; those that have one go on without it.
 */
function createClients(address: string) {
  const target = address.includes(",") ? `ipv4:${address}` : address;
  const open = () => new Client(target, credentials.createInsecure(), channelOptions);
  let client = open();
  let retired: Client | undefined;
  const timer = setInterval(() => {
    retired?.close();
    retired = client;
    client = open();
  }, lookUpEveryMs);
  timer.unref();
  return {
    current: () => client,
    close() {
      clearInterval(timer);
      retired?.close();
      client.close();
    },
  };
}

/** Waits a moment where no replica can be reached. The call that follows tells of any failure. */
async function somePeer(client: Client, { timeoutMs = defaultTimeoutMs }: CallOptions) {
  const channel = client.getChannel();
  if (channel.getConnectivityState(true) !== connectivityState.TRANSIENT_FAILURE) return;
  const deadline = Date.now() + Math.min(peerPatienceMs, timeoutMs / 2);
  await new Promise<void>((resolve) => client.waitForReady(deadline, () => resolve()));
}

async function unary(
  { client, metadata }: Caller,
  method: DescMethod,
  request: Message,
  options: CallOptions,
): Promise<Message> {
  const { signal } = options;
  await somePeer(client, options);
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

async function* serverStream(
  { client, metadata }: Caller,
  method: DescMethod,
  request: Message,
  options: CallOptions,
): AsyncGenerator<Message> {
  const { signal } = options;
  await somePeer(client, options);
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
