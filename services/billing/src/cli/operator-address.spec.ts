import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { operatorAddress, operatorSocket } from "./operator-address.ts";

/** An absolute folder whose socket's path has exactly so many bytes. */
function folderForSocketOf(bytes: number): string {
  return `/${"d".repeat(bytes - "//operator/tollgate.sock".length)}`;
}

test("the socket lies in the data folder, by its absolute path", () => {
  expect(operatorSocket("/srv/tollgate")).toBe("/srv/tollgate/operator/tollgate.sock");
  expect(operatorSocket("data")).toBe(join(resolve("data"), "operator", "tollgate.sock"));
});

test("a path of a hundred bytes is still a socket's, and a longer one is not", () => {
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

test("a long folder has one socket of its own, however it is written", () => {
  const folder = `/${"d".repeat(200)}`;
  expect(operatorSocket(`${folder}/x/..`)).toBe(operatorSocket(folder));
  expect(operatorSocket(`${folder}e`)).not.toBe(operatorSocket(folder));
});

test("billing is asked where the environment says, before the data folder", () => {
  const env = { TOLLGATE_BILLING_ADDRESS: "billing:7000", TOLLGATE_DATA_DIR: "/srv/tollgate" };
  expect(operatorAddress(env)).toBe("billing:7000");
});

test("billing is else asked at the socket of the data folder, .data when none is named", () => {
  expect(operatorAddress({ TOLLGATE_DATA_DIR: "/srv/tollgate" })).toBe(
    "unix:/srv/tollgate/operator/tollgate.sock",
  );
  const usual = `unix:${operatorSocket(".data")}`;
  expect(operatorAddress({})).toBe(usual);
  expect(operatorAddress({ TOLLGATE_BILLING_ADDRESS: "", TOLLGATE_DATA_DIR: "" })).toBe(usual);
});
