import { beforeAll, beforeEach } from "vitest";
import { MissingAgent } from "./agent-program.ts";

/** Includes the installation at the first run on a machine. */
const timeoutMs = 300_000;

/** Skips the tests of a suite, with the reason, where `find` throws a MissingAgent. */
export function skipWithoutAgent(find: () => Promise<string>): void {
  let reason: string | undefined;

  beforeAll(async () => {
    try {
      await find();
    } catch (error) {
      if (!(error instanceof MissingAgent)) throw error;
      [reason] = error.message.split("\n");
    }
  }, timeoutMs);

  beforeEach(({ skip }) => {
    if (reason !== undefined) skip(reason);
  });
}
