import { expect, test } from "vitest";
import { stepsOf } from "./steps-of.ts";

const empty = {
  ...{ revisions: [], models: [], accounts: [], keys: [], requests: [] },
  hasDraft: false,
};
const account = { id: "acct_1" };

test("an empty gateway has five steps to do, each with a link to where it is done", () => {
  const steps = stepsOf(empty);
  expect(steps.map(({ title, isDone, link }) => [title, isDone, link])).toEqual([
    ["Add a provider", false, { to: "/catalog/edit", search: { create: true } }],
    ["Publish a model", false, { to: "/catalog/edit", search: { tab: "models" } }],
    ["Create an account", false, { to: "/accounts", search: { create: true } }],
    ["Create a key", false, { to: "/keys", search: { create: true } }],
    ["Send a request", false, { to: "/quick-start", search: {} }],
  ]);
  expect(steps.filter(({ button }) => button === "")).toEqual([]);
});

test.each([
  [{ revisions: [{ providers: 1 }] }, ["Add a provider"]],
  [{ revisions: [{ providers: 0 }] }, []],
  [{ models: [{ slots: [] }] }, ["Publish a model"]],
  [{ accounts: [account] }, ["Create an account"]],
  [{ keys: [{}] }, ["Create a key"]],
  [{ requests: [{}] }, ["Send a request"]],
])("with %o, its step is done", (present, done) => {
  const steps = stepsOf({ ...empty, ...present });
  expect(steps.filter(({ isDone }) => isDone).map(({ title }) => title)).toEqual(done);
});

test("a draft that is not published is continued", () => {
  const [provider] = stepsOf({ ...empty, hasDraft: true });
  expect(provider).toMatchObject({
    isDone: false,
    link: { to: "/catalog/edit", search: {} },
  });
});

test("the key is one of the only account; among several, one is chosen", () => {
  const searchOfKey = (accounts: readonly { id: string }[]) =>
    stepsOf({ ...empty, accounts })[3]?.link.search;
  expect(searchOfKey([account])).toEqual({ account: "acct_1", create: true });
  expect(searchOfKey([account, { id: "acct_2" }])).toEqual({ create: true });
});
