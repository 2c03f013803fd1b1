import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { networkInterfaces } from "node:os";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startSimulator } from "./simulator.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

function run(env: Record<string, string>) {
  return spawn(process.execPath, [MAIN], { env: { ...process.env, ...env }, stdio: "pipe" });
}

async function urlOf(child: { stdout: Readable }): Promise<string> {
  const [line] = await once(createInterface(child.stdout), "line");
  return JSON.parse(line).url;
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, "exit");
  return code;
}

test.each(["SIGTERM", "SIGINT"] as const)("it prints its URL and exits on %s", async (sig) => {
  const child = run({});
  const url = await urlOf(child);
  expect((await fetch(`${url}/_simulator/health`)).status).toBe(200);
  const exit = exitOf(child);
  child.kill(sig);
  expect(await exit).toBe(0);
});

test("it listens on the addresses of both families where SIMULATOR_HOST is *", async () => {
  const child = run({ SIMULATOR_HOST: "*" });
  const { port } = new URL(await urlOf(child));
  const families = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const hasIPv6 = families.some(({ address }) => address === "::1");
  for (const host of ["127.0.0.1", ...(hasIPv6 ? ["[::1]"] : [])]) {
    expect((await fetch(`http://${host}:${port}/_simulator/health`)).status, host).toBe(200);
  }
  const exit = exitOf(child);
  child.kill("SIGTERM");
  await exit;
});

test("it exits with its parent when SIMULATOR_END_WITH_PARENT is 1", async () => {
  const child = run({ SIMULATOR_END_WITH_PARENT: "1" });
  await urlOf(child);
  const exit = exitOf(child);
  child.stdin.end();
  expect(await exit).toBe(0);
});

test("a port in use is reported in one line, with exit code 1", async () => {
  const taken = await startSimulator({ port: 0 });
  const child = run({ SIMULATOR_PORT: new URL(taken.url).port });
  const [code, complaint] = await Promise.all([exitOf(child), text(child.stderr)]);
  expect(code).toBe(1);
  expect(complaint).toMatch(/^simulator: .*EADDRINUSE.*\n$/);
  await taken.close();
});

test("the port of a Kubernetes Service named simulator is understood", async () => {
  const taken = await startSimulator({ port: 0 });
  const child = run({ SIMULATOR_PORT: `tcp://10.96.0.7:${new URL(taken.url).port}` });
  expect(await text(child.stderr)).toMatch("EADDRINUSE");
  await taken.close();
});

test("an invalid port is reported in one line, with exit code 1", async () => {
  const child = run({ SIMULATOR_PORT: "many" });
  const [code, complaint] = await Promise.all([exitOf(child), text(child.stderr)]);
  expect(code).toBe(1);
  expect(complaint).toBe("simulator: SIMULATOR_PORT must be a port number, not many\n");
});
