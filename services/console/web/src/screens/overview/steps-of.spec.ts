import { expect, test } from "vitest";
import { stepsOf } from "./steps-of.ts";

const empty = { models: [], accounts: [], keys: [], requests: [] };
const one = [{}];

test("an empty gateway has five steps to do, each with a button to the place where it is done", () => {
  const steps = stepsOf(empty);
  expect(steps.map(({ title, isDone, to }) => [title, isDone, to])).toEqual([
    ["Add a provider", false, "/catalog/edit"],
    ["Publish a model", false, "/catalog/edit"],
    ["Create an account", false, "/accounts"],
    ["Create a key", false, "/keys"],
    ["Send a request", false, "/quick-start"],
  ]);
  expect(steps.filter(({ button }) => button === "")).toEqual([]);
});

test.each([
  [{ models: [{ slots: [] }] }, ["Publish a model"]],
  [{ accounts: one }, ["Create an account"]],
  [{ keys: one }, ["Create a key"]],
  [{ requests: one }, ["Send a request"]],
])("with %o, its step is done", (present, done) => {
  const steps = stepsOf({ ...empty, ...present });
  expect(steps.filter(({ isDone }) => isDone).map(({ title }) => title)).toEqual(done);
});
