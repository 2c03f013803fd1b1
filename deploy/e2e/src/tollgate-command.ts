import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { FleetSecrets } from "@tollgate/core/peer-auth";
import { bundleCache, commandProgram } from "./programs.ts";

/** Runs the `tollgate` command against the operator's port at `address`. `input` is its standard input. */
export async function runTollgate(
  address: string,
  { fleet, operator }: FleetSecrets,
  args: readonly string[],
  input = "",
) {
  const env = {
    PATH: process.env.PATH,
    ...bundleCache,
    TOLLGATE_BILLING_ADDRESS: address,
    TOLLGATE_FLEET_SECRET: fleet,
    TOLLGATE_OPERATOR_SECRET: operator,
  };
  const command = [fileURLToPath(commandProgram), ...args];
  const running = promisify(execFile)(process.execPath, command, { env });
  running.child.stdin?.end(input);
  const { stdout, stderr, code } = await running.then(
    (output) => ({ ...output, code: 0 }),
    (error) => error as { stdout: string; stderr: string; code: number },
  );
  return { code, stdout, stderr, json: () => JSON.parse(stdout) };
}
