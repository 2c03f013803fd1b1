import { type DescMethod, type Message, toBinary } from "@bufbuild/protobuf";
import { Client, connectivityState, credentials, Metadata } from "@grpc/grpc-js";
import { secretHeader, type Trust } from "@tollgate/core/peer-auth";
import { Health } from "@tollgate/proto/grpc/health/v1/health";
import { refuseGoneCaller } from "./cancelled-caller.ts";
import { plainStream, plainUnary } from "./grpc-call.ts";
import { channelOptions } from "./grpc-channel.ts";
import { signOfLifeMs, watchSignOfLife } from "./health-check.ts";
import type { CallOptions } from "./implementation.ts";
import { trunkStream, trunkUnary } from "./mux-call.ts";
import { openTrunk, type Trunk } from "./mux-client.ts";
import type { AnswerStream } from "./response-stream.ts";

/** A larger request takes a call of its own: no other waits behind it. */
const mostTrunkBytes = 256 * 1024;
/** For how long a replica that knows no trunks is not asked for one again. */
const plainForMs = 30_000;
/**
 * For how long one that left is given no calls, if its connection stays: something may stand
 * between.
 */
const leavingForMs = 30_000;

/** One replica of a peer, and the connection to it. */
export interface Replica {
  /** `refusing`: it is connected, and takes no new calls. */
  state(): "ready" | "connecting" | "failing" | "refusing";
  /** Whether it is connected, but gives no sign of life. */
  isSilent(): boolean;
  /** Resolves once its connection is in another state, or at `untilMs` by the clock. */
  changed(untilMs: number): Promise<void>;
  unary(method: DescMethod, request: Message, options: CallOptions): Promise<Message>;
  stream(method: DescMethod, request: Message, options: CallOptions): AnswerStream;
  /** Lets go of the connection once no call is under way. */
  retire(): void;
  /** Lets go of the connection. */
  close(): void;
}

/**
 * A replica at `target`, as gRPC writes it. Calls share a trunk, which is opened with the first
 * and anew when it has ended. How a service is, is asked by plain calls.
 */
export function createReplica(target: string, trust: Trust): Replica {
  const client = new Client(target, credentials.createInsecure(), channelOptions);
  const shown = new Metadata();
  if (trust.secret !== undefined) shown.set(secretHeader, trust.secret);
  let trunk: Trunk | undefined;
  let plainUntil = 0;
  const leaving = createLeaving(client);
  const life = watchSignOfLife(() => askHealth(client, shown));
  let underWay = 0;
  let isRetired = false;

  /** Undefined where the call takes a gRPC call of its own. */
  function trunkFor({ parent }: DescMethod, request: Uint8Array): Trunk | undefined {
    if (request.length > mostTrunkBytes || parent.typeName === Health.typeName) return undefined;
    if (trunk === undefined && performance.now() < plainUntil) return undefined;
    trunk ??= openTrunk(client, shown.clone(), (how) => {
      trunk = undefined;
      if (how === "plain") plainUntil = performance.now() + plainForMs;
      if (how === "left") leaving.start();
    });
    return trunk;
  }

  function begin(): void {
    underWay += 1;
    life.called();
  }

  function end(): void {
    underWay -= 1;
    closeIfDone();
  }

  function closeIfDone(): void {
    if (isRetired && underWay === 0) close();
  }

  function close(): void {
    life.stop();
    trunk?.close();
    client.close();
  }

  return {
    state() {
      if (trunk?.isOpen() === false) return "refusing";
      const channel = client.getChannel();
      const state = shownState[channel.getConnectivityState(trunk === undefined)];
      return state === "ready" && leaving.isOn() ? "refusing" : state;
    },
    isSilent: life.isSilent,
    changed(untilMs) {
      const channel = client.getChannel();
      const before = channel.getConnectivityState(true);
      return new Promise((resolve) => {
        channel.watchConnectivityState(before, untilMs, () => resolve());
      });
    },
    async unary(method, request, options) {
      refuseGoneCaller(options);
      const bytes = toBinary(method.input, request);
      begin();
      try {
        const shared = trunkFor(method, bytes);
        return await (shared === undefined
          ? plainUnary(client, shown, method, bytes, options)
          : trunkUnary(shared, method, bytes, options));
      } finally {
        end();
      }
    },
    stream(method, request, options) {
      refuseGoneCaller(options);
      const bytes = toBinary(method.input, request);
      begin();
      const shared = trunkFor(method, bytes);
      const stream =
        shared === undefined
          ? plainStream(client, shown, method, bytes, options)
          : trunkStream(shared, method, bytes, options);
      return {
        next: stream.next,
        close() {
          stream.close();
          end();
        },
      };
    },
    retire() {
      isRetired = true;
      closeIfDone();
    },
    close,
  };
}

function askHealth(client: Client, shown: Metadata): Promise<Message> {
  const noFields = new Uint8Array();
  return plainUnary(client, shown, Health.method.check, noFields, { timeoutMs: signOfLifeMs });
}

/** What is sent on a connection that is about to be closed may be lost with it. */
function createLeaving(client: Client) {
  let until = 0;
  return {
    isOn: () => performance.now() < until,
    /** Until the connection is another, or has stayed for long. */
    start() {
      const channel = client.getChannel();
      if (channel.getConnectivityState(false) !== connectivityState.READY) return;
      until = performance.now() + leavingForMs;
      channel.watchConnectivityState(connectivityState.READY, Number.POSITIVE_INFINITY, () => {
        until = 0;
      });
    },
  };
}

const shownState = {
  [connectivityState.READY]: "ready",
  [connectivityState.IDLE]: "connecting",
  [connectivityState.CONNECTING]: "connecting",
  [connectivityState.TRANSIENT_FAILURE]: "failing",
  [connectivityState.SHUTDOWN]: "failing",
} as const;
