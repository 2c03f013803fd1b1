import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { endUserIdOf } from "./end-user.ts";

test("the id of an end user is the beginning of a hash under the salt of its account", () => {
  const hashed = createHmac("sha256", "salt").update("ada@acme.com").digest("hex");
  expect(endUserIdOf("ada@acme.com", "salt")).toBe(hashed.slice(0, 32));
  expect(endUserIdOf("ada@acme.com", "other")).not.toBe(hashed.slice(0, 32));
});

test("no end user has an empty id", () => {
  expect(endUserIdOf("", "salt")).toBe("");
});
