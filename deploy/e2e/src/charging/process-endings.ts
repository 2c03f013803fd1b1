import type { ServiceName } from "@tollgate/runtime/service";
import { expect } from "vitest";
import { eventually } from "../eventually.ts";
import type { OwnStack } from "../stack.ts";

/** The services that call providers. */
const callers: readonly ServiceName[] = ["chat", "audio", "document", "image"];

/** The processes that hold the calls of a matrix, until they are ended. */
export interface EndingProcesses {
  /** Where clients send the calls. */
  url: string;
  /** Sends SIGTERM, and resolves when the processes drain. `exited` resolves when they have ended. */
  drain(): Promise<{ exited: Promise<unknown> }>;
  /** Kills them with SIGKILL. */
  kill(): Promise<void>;
  /** Starts those again that the stack needs. */
  restore(): Promise<void>;
}

/** Returns the processes to end: a replica of the process, or the services of a fleet. */
export async function processesToEnd(stack: OwnStack): Promise<EndingProcesses> {
  const { stopService, killService } = stack;
  if (stopService === undefined || killService === undefined) return replicaToEnd(stack);
  let restarts: (() => Promise<void>)[] = [];
  return {
    url: stack.url,
    async drain() {
      const exited = Promise.all(callers.map(stopService)).then((all) => {
        restarts = all;
      });
      await eventually(async () => {
        const states = await Promise.all(stack.operationsUrls.map(isReady));
        expect(states.filter((isUp) => !isUp)).toHaveLength(callers.length);
      });
      return { exited };
    },
    async kill() {
      restarts = await Promise.all(callers.map(killService));
    },
    async restore() {
      await Promise.all(restarts.map((restart) => restart()));
    },
  };
}

async function replicaToEnd(stack: OwnStack): Promise<EndingProcesses> {
  const replica = await stack.addReplica();
  return {
    url: replica.url,
    async drain() {
      const exited = replica.stop();
      // It takes no connection once it drains.
      const health = () => fetch(`${replica.url}/v1/health`);
      await eventually(() => expect(health()).rejects.toThrow());
      return { exited };
    },
    kill: replica.kill,
    async restore() {},
  };
}

async function isReady(operationsUrl: string): Promise<boolean> {
  const response = await fetch(`${operationsUrl}/readyz`).catch(() => undefined);
  return response?.status === 200;
}
