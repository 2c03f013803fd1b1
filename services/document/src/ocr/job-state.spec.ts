import { expect, test } from "vitest";
import { jobStateOf } from "./job-state.ts";

const pages = [{ text: "a page" }];

test.each([
  ["Completed", {}, "done"],
  ["SUCCESS", {}, "done"],
  ["Cancelled", { pages }, "failed"],
  ["canceled", {}, "failed"],
  ["aborted", {}, "failed"],
  ["ERROR", { text: "no" }, "failed"],
  // How far it is, or what it has read so far.
  ["processing", { pages: 12 }, "running"],
  ["In_Progress", { text: "The first page" }, "running"],
  ["paused", {}, "running"],
  ["paused", { pages: [] }, "running"],
  ["paused", { pages: 0, text: "" }, "running"],
  ["finished", { pages }, "done"],
  ["finished", { pages: 3 }, "done"],
  ["finished", { text: "all of it" }, "done"],
  [undefined, { text: "all of it" }, "done"],
  [7, { pages }, "done"],
] as const)("a job with the status %j and %j is %s", (status, more, state) => {
  expect(jobStateOf({ status, ...more })).toBe(state);
});
