import { expect, test } from "vitest";
import { nextPageCommand } from "./next-page.ts";

test("the next page has the words and the options of the one before, and begins after it", () => {
  const words = ["tollgate", "request", "list"];
  const options = { account: "acme", failed: true, open: false, order: "charges", before: "one" };
  expect(nextPageCommand(words, { ...options, server: undefined }, "two")).toBe(
    "tollgate request list --account acme --failed --order charges --before two",
  );
});

test("what a shell would divide, expand or take for an option is quoted", () => {
  const words = ["tollgate", "key", "list", "AT&T"];
  const options = { search: "Ada's $HOME; *", owner: "-5", tag: ["a b", "c"], name: "" };
  expect(nextPageCommand(words, options, "key_1")).toBe(
    "tollgate key list 'AT&T' --search 'Ada'\\''s $HOME; *' --owner=-5 --tag 'a b' --tag c --name '' --before key_1",
  );
});
