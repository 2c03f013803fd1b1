import { expect, test } from "vitest";
import { type CpuProfile, readProfile } from "./cpu-profile.ts";

const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 9 });
const profile: CpuProfile = {
  startTime: 1_000,
  nodes: [
    { id: 1, callFrame: frame("(root)", ""), children: [2, 4] },
    { id: 2, callFrame: frame("outer", "file:///x/services/kit/src/a.ts"), children: [3] },
    { id: 3, callFrame: frame("inner", "file:///x/node_modules/@scope/name/lib/b.js") },
    { id: 4, callFrame: frame("(idle)", "") },
  ],
  samples: [2, 3, 4, 3],
  timeDeltas: [10, 20, 30, 40],
};

test("a function's own time excludes its callees, and idle time is not counted", () => {
  const { busyUs, functions } = readProfile(profile, 0, 10_000);
  expect(busyUs).toBe(70);
  expect(functions.slice(0, 2)).toEqual([
    { name: "inner  @scope/name/lib/b.js:10", selfUs: 60, totalUs: 60 },
    { name: "outer  services/kit/src/a.ts:10", selfUs: 10, totalUs: 70 },
  ]);
});

test("time is summed by package", () => {
  const names = readProfile(profile, 0, 10_000).packages.map(({ name }) => name);
  expect(names.slice(0, 2)).toEqual(["@scope/name", "services/kit"]);
});

test("samples outside the given times are ignored", () => {
  expect(readProfile(profile, 1_015, 1_035).busyUs).toBe(20);
});
