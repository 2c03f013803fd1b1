import { spawn } from "node:child_process";
import { freePort } from "@tollgate/local/free-port";
import { eventually } from "./eventually.ts";
import { findGoProgram } from "./go-program.ts";

/** Stripe's own mock: it refuses what Stripe's description of its API does not have. */
export interface StripeMock {
  url: string;
  stop(): void;
}

/** Resolves with the program of Stripe's mock; undefined where Go cannot build it. */
export function findStripeMock(): Promise<string | undefined> {
  const source = { module: "github.com/stripe/stripe-mock", version: "v0.203.0" };
  return findGoProgram("stripe-mock", source);
}

/** Starts the mock. Resolves when it responds. */
export async function startStripeMock(program: string): Promise<StripeMock> {
  const port = await freePort();
  const child = spawn(program, ["-http-port", String(port)], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(url), { timeout: 60_000 });
  return { url, stop: () => void child.kill() };
}
