import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { endUserIdOf, isHashedEndUser } from "./end-user.ts";

test("the id of an end user is the beginning of a hash under the salt of its account", () => {
  const hashed = createHmac("sha256", "salt").update("ada@acme.com").digest("hex");
  expect(endUserIdOf("ada@acme.com", "salt")).toBe(hashed.slice(0, 32));
  expect(isHashedEndUser(endUserIdOf("ada@acme.com", "salt"))).toBe(true);
  expect(endUserIdOf("ada@acme.com", "other")).not.toBe(hashed.slice(0, 32));
});

test("without a salt it is the beginning of the name, as a database stores it", () => {
  expect(endUserIdOf("ada\0", "")).toBe("ada\u{fffd}");
  expect(endUserIdOf("a".repeat(100), "")).toBe("a".repeat(64));
});

test("no end user has an empty id", () => {
  expect(endUserIdOf("", "salt")).toBe("");
});
