import { freePort } from "@tollgate/local/free-port";
import type { RecordedCall } from "@tollgate/simulator/call-log";
import OpenAI from "openai";
import { afterAll } from "vitest";
import type { HttpResponse } from "./http-response.ts";
import { expectBalancedAccounts } from "./ledger.ts";
import { chatBody, send } from "./request.ts";
import { type OwnStack, type Stack, startStack, type TestAccount } from "./stack.ts";

/** A web page of this origin may call the shared stack. */
export const allowedOrigin = `http://localhost:${await freePort()}`;

/** Settings that shorten the waits of tests, and the origin. */
const settings = {
  TOLLGATE_HOLD_SECONDS: "5",
  TOLLGATE_SESSION_WAIT_SECONDS: "2",
  TOLLGATE_CORS_ORIGINS: allowedOrigin,
};

/** What a test file uses of the stack that it shares. */
export interface SharedStack {
  stack: Stack;
  /** An account of the file. */
  account: TestAccount;
  /** The `openai` package with the account's key. It does not retry. */
  client: OpenAI;
  /** Sends a small chat request of the account, with `more` members. */
  chat(model: string, more?: object): Promise<HttpResponse>;
  /** Returns the last call that the provider received. Throws if there is none. */
  lastCall(): RecordedCall;
  /** Returns the body of that call. */
  lastSent(): Record<string, unknown>;
  /** Waits until no account of the file has an open hold, then checks their books. */
  expectBooks(): Promise<void>;
}

/** The files of a worker run one after another in one module graph: see `isolate` in the config. */
let started: Promise<OwnStack> | undefined;

/**
 * Resolves with the stack of this worker, which the files that damage nothing use in turn. The
 * first call starts it, and it ends with the worker. Each file finds the simulator's call log
 * empty. At the end of the file, the books of the accounts that it created are checked; those of
 * the whole stack are checked once, at the end of the run.
 */
export async function sharedStack({ creditUsd = 5 } = {}): Promise<SharedStack> {
  started ??= startStack(settings, { isShared: true });
  const shared = await started;
  shared.simulator.calls.clear();
  const accountIds: string[] = [];
  const stack: Stack = {
    ...shared,
    async newAccount(...args) {
      const account = await shared.newAccount(...args);
      accountIds.push(account.accountId);
      return account;
    },
  };
  const expectBooks = () => expectBalancedAccounts(stack, accountIds);
  afterAll(expectBooks);
  const account = await stack.newAccount(creditUsd);
  const lastCall = () => {
    const call = stack.simulator.calls.list().at(-1);
    if (call === undefined) throw new Error("the provider was not called");
    return call;
  };
  return {
    stack,
    account,
    client: new OpenAI({ apiKey: account.key, baseURL: `${stack.url}/v1`, maxRetries: 0 }),
    chat(model, more = {}) {
      const body = chatBody({ model, ...more });
      return send(`${stack.url}/v1/chat/completions`, { key: account.key, body });
    },
    lastCall,
    lastSent: () => lastCall().body as Record<string, unknown>,
    expectBooks,
  };
}
