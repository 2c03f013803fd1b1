import type {
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type { Cancellable } from "@tollgate/core/cancellation";
import type { TraceHeaders } from "@tollgate/core/tracing";

/**
 * The handlers of a service, the same whether its callers are in this process or in another. A
 * unary method is an async function, a server-streaming method returns an async iterable.
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

/** What a handler receives with each request. */
export interface CallContext extends Cancellable {
  /** The caller's trace, where it has one and traces are on. */
  readonly trace?: TraceHeaders | undefined;
}

/** The methods of a service as a caller uses them. */
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
  /**
   * Cancels the call when it aborts. The service sees that the caller left, and may complete an attempt.
   * Where the reason is a GatewayError with a 5xx status, the service ends the call at once.
   */
  signal?: AbortSignal | undefined;
  /** Bounds the complete call, a stream to its end included. Default 5,000 ms. */
  timeoutMs?: number | undefined;
  /** Set by the tracer alone. */
  trace?: TraceHeaders | undefined;
}

/** Every call has a timeout. */
export const defaultTimeoutMs = 5_000;

/** A service together with the handlers of its methods, by method name. */
export interface ServiceBinding {
  service: DescService;
  methods: ReadonlyMap<string, AnyHandler>;
  /** The names of the methods that only operators may call. */
  operatorMethods: ReadonlySet<string>;
}

/** A message, or the fields to create one from, without its type. */
export type Fields = Record<string, unknown>;

/** A handler without its types. The transports pair each handler with its method. */
export type AnyHandler = (
  request: never,
  context: CallContext,
) => Promise<Fields> | AsyncIterable<Fields>;

/**
 * Pairs a service with its implementation. `operatorMethods` are those that only a caller with the
 * operators' secret may call from another process; default: none. Throws when a method has no handler.
 */
export function bindService<S extends DescService>(
  service: S,
  implementation: Implementation<S>,
  operatorMethods: readonly (keyof S["method"])[] = [],
): ServiceBinding {
  const byName = implementation as Record<string, AnyHandler>;
  const methods = new Map<string, AnyHandler>();
  for (const method of service.methods) {
    const handler = byName[method.localName];
    if (handler === undefined) {
      throw new Error(`${service.typeName}.${method.name} has no handler`);
    }
    methods.set(method.name, handler);
  }
  const names = operatorMethods.map((name) => service.method[name as string]?.name ?? "");
  return { service, methods, operatorMethods: new Set(names) };
}

/** Does the same for a service all of whose methods are for operators only. */
export function bindOperatorService<S extends DescService>(
  service: S,
  implementation: Implementation<S>,
): ServiceBinding {
  return bindService(service, implementation, Object.keys(service.method));
}
