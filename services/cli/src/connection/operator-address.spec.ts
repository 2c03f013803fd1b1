import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { consoleUrl, consoleUrlFile, operatorAddress, operatorSocket } from "./operator-address.ts";

/** Returns an absolute folder whose socket's path has that many bytes. */
function folderForSocketOf(bytes: number): string {
  return `/${"d".repeat(bytes - "//operator/tollgate.sock".length)}`;
}

test("the socket is in the data folder, by its absolute path", () => {
  expect(operatorSocket("/srv/tollgate")).toBe("/srv/tollgate/operator/tollgate.sock");
  expect(operatorSocket("data")).toBe(join(resolve("data"), "operator", "tollgate.sock"));
});

test("a path of up to 100 bytes is used, and a longer one is replaced", () => {
  const longest = folderForSocketOf(100);
  expect(operatorSocket(longest)).toBe(`${longest}/operator/tollgate.sock`);
  const tooLong = operatorSocket(folderForSocketOf(101));
  expect(tooLong.startsWith(join(tmpdir(), "tollgate-"))).toBe(true);
  expect(Buffer.byteLength(tooLong)).toBeLessThanOrEqual(100);
});

test("a path is measured in bytes, not in characters", () => {
  const folder = `/${"é".repeat(60)}`;
  expect(dirname(dirname(operatorSocket(folder)))).toBe(tmpdir());
});

test("a long folder has one socket, however its path is written", () => {
  const folder = `/${"d".repeat(200)}`;
  expect(operatorSocket(`${folder}/x/..`)).toBe(operatorSocket(folder));
  expect(operatorSocket(`${folder}e`)).not.toBe(operatorSocket(folder));
});

test("the address in the environment takes precedence over the data folder", () => {
  const env = { TOLLGATE_BILLING_ADDRESS: "billing:7000", TOLLGATE_DATA_DIR: "/srv/tollgate" };
  expect(operatorAddress(env)).toBe("billing:7000");
});

test("the default address is the socket of the data folder, which is .data by default", () => {
  expect(operatorAddress({ TOLLGATE_DATA_DIR: "/srv/tollgate" })).toBe(
    "unix:/srv/tollgate/operator/tollgate.sock",
  );
  const fallback = `unix:${operatorSocket(".data")}`;
  expect(operatorAddress({})).toBe(fallback);
  expect(operatorAddress({ TOLLGATE_BILLING_ADDRESS: "", TOLLGATE_DATA_DIR: "" })).toBe(fallback);
});

test("the console is where the environment, else the gateway of the data folder, says", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "tollgate-console-url-"));
  const env = { TOLLGATE_DATA_DIR: folder.path };
  expect(consoleUrl(env)).toBe("http://127.0.0.1:8081");
  const file = consoleUrlFile(folder.path);
  await mkdir(dirname(file));
  await writeFile(file, "http://127.0.0.1:9000");
  expect(consoleUrl(env)).toBe("http://127.0.0.1:9000");
  const elsewhere = { ...env, TOLLGATE_BILLING_ADDRESS: "billing:7000" };
  expect(consoleUrl(elsewhere)).toBe("http://127.0.0.1:8081");
  const named = { ...env, TOLLGATE_CONSOLE_URL: "https://console.example.com" };
  expect(consoleUrl(named)).toBe("https://console.example.com");
});
