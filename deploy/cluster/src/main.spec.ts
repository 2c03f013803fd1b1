import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-cluster-"));
});

afterEach(() => rm(folder, { recursive: true }));

/** Starts the test with the programs in `folder` only. */
function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [main, ...args], { env: { PATH: folder } });
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

async function end(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("no output");
  const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, "exit")]);
  return { code, stdout: out, stderr: err };
}

const run = (...args: string[]): Promise<Ended> => end(start(...args));

/** Writes a program that logs its arguments, and then does the first case that matches them. */
async function install(program: string, cases: Record<string, string>): Promise<void> {
  const path = join(folder, program);
  const lines = Object.entries(cases).map(([pattern, action]) => `*"${pattern}"*) ${action};;`);
  const log = `echo "${program} $*" >> ${join(folder, "log")}`;
  await writeFile(path, `#!/bin/sh\n${log}\ncase "$*" in\n${lines.join("\n")}\nesac\n`);
  await chmod(path, 0o755);
}

async function commands(): Promise<string[]> {
  const lines = await readFile(join(folder, "log"), "utf8").catch(() => "");
  return lines.split("\n").filter(Boolean);
}

const newHelm = { "version --template": "echo v3.18" };
const blueCluster = { "config current-context": "echo blue" };
const isRemoval = (command: string) =>
  /^kubectl --context blue delete namespace tollgate-test-\w+ --wait=false --ignore-not-found$/.test(
    command,
  );

test("without kubectl and helm, it names both", async () => {
  const { code, stderr } = await run();
  expect(code).toBe(1);
  expect(stderr).toContain("- helm is not installed, or not in PATH\n");
  expect(stderr).toContain("- kubectl is not installed, or not in PATH\n");
});

test("it names an old helm, a missing context and a cluster that does not respond", async () => {
  await install("helm", { "version --template": "echo v3.17.9" });
  await install("kubectl", { "config current-context": "echo error: not set >&2; exit 1" });
  const first = await run();
  expect(first).toMatchObject({ code: 1, stdout: "" });
  expect(first.stderr).toContain("needs kubectl, Helm 3.18 or newer, and a cluster");
  expect(first.stderr).toContain("- helm is v3.17.9\n");
  expect(first.stderr).toContain("- kubectl has no current context: error: not set\n");
  await install("kubectl", { ...blueCluster, "/readyz": "echo connection refused >&2; exit 1" });
  const second = await run();
  expect(second.stderr).toContain("- the cluster blue does not respond: connection refused\n");
});

test("--help describes the options, and a wrong one is refused by its name", async () => {
  expect(await run("--help")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/--upgrades.*kill-pods/s),
  });
  const wrong = await run("--only", "upgrades");
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("--only") });
});

test("a failed install prints pods, logs and events, and removes the namespace", async () => {
  const pod = { metadata: { name: "tollgate-chat-1" }, status: { phase: "Pending" } };
  await install("helm", { ...newHelm, upgrade: "echo timed out >&2; exit 1" });
  await install("kubectl", {
    ...blueCluster,
    "get pods --output json": `echo '${JSON.stringify({ items: [pod] })}'`,
    "get pods": "echo tollgate-chat-1 Pending",
    "logs tollgate-chat-1": "echo no such catalog",
    "get events": "echo FailedScheduling",
  });
  const { code, stdout, stderr } = await run();
  expect(code).toBe(1);
  expect(stdout).toMatch(/install +\| FAILED .*timed out/);
  for (const part of ["tollgate-chat-1 Pending", "no such catalog", "FailedScheduling"]) {
    expect(stderr).toContain(part);
  }
  expect((await commands()).at(-1)).toSatisfy(isRemoval);
});

test("every command names the context of the start", async () => {
  await install("helm", { ...newHelm, upgrade: "exit 1" });
  await install("kubectl", { ...blueCluster, "get pods --output json": `echo '{"items":[]}'` });
  await run();
  const log = await commands();
  const rest = log.filter((command) => !/current-context|version --template/.test(command));
  expect(rest.length).toBeGreaterThan(5);
  const other = (command: string) =>
    !/^(kubectl --context|helm --kube-context) blue /.test(command);
  expect(rest.filter(other)).toEqual([]);
});

/** Starts a test whose install does not end. Resolves during it. */
async function startEndless(
  ...args: string[]
): Promise<{ child: ChildProcess; ended: Promise<Ended> }> {
  await install("helm", { ...newHelm, upgrade: "exec /bin/sleep 60" });
  await install("kubectl", { ...blueCluster, "delete namespace": "exec /bin/sleep 2" });
  const child = start(...args);
  const ended = end(child);
  await vi.waitFor(async () => expect((await commands()).at(-1)).toMatch(/^helm .*upgrade/), {
    timeout: 20_000,
    interval: 50,
  });
  return { child, ended };
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends the test and removes the namespace", async (signal, code) => {
  const { child, ended } = await startEndless();
  child.kill(signal);
  expect(await ended).toMatchObject({ code });
  expect((await commands()).filter(isRemoval)).toHaveLength(1);
});

test("with --keep, an interrupt keeps the namespace and says so", async () => {
  const { child, ended } = await startEndless("--keep");
  child.kill("SIGINT");
  expect(await ended).toMatchObject({
    code: 130,
    stdout: expect.stringMatching(/The namespace tollgate-test-\w+ is kept/),
  });
  expect((await commands()).filter(isRemoval)).toEqual([]);
});

test("a second interrupt ends the test at once, but not one that npm has forwarded", async () => {
  const { child, ended } = await startEndless();
  child.kill("SIGINT");
  child.kill("SIGINT");
  await vi.waitFor(async () => expect((await commands()).some(isRemoval)).toBe(true), {
    timeout: 20_000,
    interval: 50,
  });
  const endsSoon = vi.waitFor(
    () => {
      child.kill("SIGINT");
      expect(child.exitCode).toBe(130);
    },
    { timeout: 1_500, interval: 50 },
  );
  await endsSoon;
  expect(await ended).toMatchObject({ code: 130 });
});
