import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { announce } from "./announce.ts";

const started = {
  url: "http://localhost:8080",
  key: "sk-tollgate-secret",
  signInUrl: "http://localhost:8081/sign-in#once",
};

let folder: string;
let printed: string;

const output = (isTTY: boolean) => ({
  isTTY,
  write(text: string) {
    printed += text;
    return true;
  },
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-announce-"));
  printed = "";
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a terminal shows the key and the link", async () => {
  await announce(started, folder, output(true));
  expect(printed).toContain(started.key);
  expect(printed).toContain(started.signInUrl);
});

test("without a terminal, the key and the link are only in a file that its owner can read", async () => {
  await announce(started, folder, output(false));
  expect(printed).not.toMatch(/sk-tollgate-secret|#once/);
  const [, file = ""] = /^Key and sign-in link: (\S+)/m.exec(printed) ?? [];
  expect(file).toBe(join(folder, "welcome.txt"));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, "utf8");
  expect(text).toContain(started.key);
  expect(text).toContain(started.signInUrl);
});

test("a file of an earlier start that others can read is replaced by one that they cannot", async () => {
  const file = join(folder, "welcome.txt");
  writeFileSync(file, "old");
  chmodSync(file, 0o644);
  await announce(started, folder, output(false));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).not.toContain("old");
});

test("without a key and a link there is no file", async () => {
  const { url } = started;
  await announce({ url, key: undefined, signInUrl: undefined }, folder, output(false));
  expect(printed).toBe(`\nTollgate listens at ${url}/v1. Press Ctrl-C to stop.\n\n`);
});
