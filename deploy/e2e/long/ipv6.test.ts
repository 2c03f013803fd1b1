import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { bundleCache, gatewayProgram } from "../src/programs.ts";

const program = fileURLToPath(new URL("../src/ipv6-fleet.ts", import.meta.url));
/** Leaves the loopback interface its IPv6 address alone. */
const configure = 'ip link set lo up && ip -4 address flush dev lo && exec "$@"';
const withoutIpv4 = ["unshare", "--net", "sh", "-c", configure, "sh"];
const canUnshare = spawnSync(withoutIpv4[0] ?? "", [...withoutIpv4.slice(1), "true"]).status === 0;

/** Runs the program of the fleet and returns what it prints. */
async function runFleet(...prefix: string[]): Promise<Record<string, unknown>> {
  const [command = "", ...args] = [
    ...prefix,
    ...[process.execPath, program, fileURLToPath(gatewayProgram)],
  ];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...bundleCache };
  const { stdout } = await promisify(execFile)(command, args, { env });
  return JSON.parse(stdout.split("\n").at(-2) ?? "") as Record<string, unknown>;
}

const served = {
  statuses: [200, 200, 1_000],
  metrics: [200, 200, 200, 200, 200],
  charged: 3,
};

describe("a fleet whose addresses are all IPv6 literals", { timeout: 180_000 }, () => {
  test.runIf(canUnshare)("serves in a network without IPv4", async () => {
    expect(await runFleet(...withoutIpv4)).toEqual({ ...served, hasIpv4: false });
  });

  test.skipIf(canUnshare)("serves on the loopback interface", async () => {
    expect(await runFleet()).toMatchObject(served);
  });
});
