import type {
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type { TraceHeaders } from "@tollgate/core/tracing";

/**
 * The typed face of a service, the same whether a call crosses the network or stays in the
 * process. A unary method is an async function, a server stream an async iterable.
 */
export type Implementation<S extends DescService> = {
  [Name in keyof S["method"]]: Handler<S["method"][Name]>;
};

type Handler<Method> =
  Method extends DescMethodUnary<infer Input, infer Output>
    ? (request: MessageShape<Input>, context: CallContext) => Promise<MessageInitShape<Output>>
    : Method extends DescMethodServerStreaming<infer Input, infer Output>
      ? (
          request: MessageShape<Input>,
          context: CallContext,
        ) => AsyncIterable<MessageInitShape<Output>>
      : never;

/** What a handler knows of the call besides its request. */
export interface CallContext {
  /** Aborts when the caller goes away or its deadline passes. */
  readonly signal: AbortSignal;
  /** The caller's trace, where it has one and traces are on. */
  readonly trace?: TraceHeaders | undefined;
}

/** The same methods as a caller sees them. */
export type Client<S extends DescService> = {
  [Name in keyof S["method"]]: ClientMethod<S["method"][Name]>;
};

type ClientMethod<Method> =
  Method extends DescMethodUnary<infer Input, infer Output>
    ? (request: MessageInitShape<Input>, options?: CallOptions) => Promise<MessageShape<Output>>
    : Method extends DescMethodServerStreaming<infer Input, infer Output>
      ? (
          request: MessageInitShape<Input>,
          options?: CallOptions,
        ) => AsyncIterable<MessageShape<Output>>
      : never;

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The whole call, a stream to its end included. Default 5,000 ms: every call has a limit. */
  timeoutMs?: number | undefined;
  /** Set by the tracer alone. */
  trace?: TraceHeaders | undefined;
}

export const defaultTimeoutMs = 5_000;

/** A service together with what answers it. */
export interface Offer {
  service: DescService;
  methods: ReadonlyMap<string, AnyHandler>;
}

/** A message, or what one is made from, with its type forgotten. */
export type Fields = Record<string, unknown>;

/** A handler with its types forgotten: the transports put message and method together again. */
export type AnyHandler = (
  request: never,
  context: CallContext,
) => Promise<Fields> | AsyncIterable<Fields>;

/** Pairs a service with its implementation, checked against each other by their types. */
export function offer<S extends DescService>(service: S, implementation: Implementation<S>): Offer {
  const byName = implementation as Record<string, AnyHandler>;
  const methods = new Map<string, AnyHandler>();
  for (const method of service.methods) {
    const handler = byName[method.localName];
    if (handler === undefined) throw new Error(`${service.typeName}.${method.name} is missing`);
    methods.set(method.name, handler);
  }
  return { service, methods };
}
