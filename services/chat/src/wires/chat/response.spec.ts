import { expect, test } from "vitest";
import { identityOf, ownIdentity } from "./response.ts";

const ours = ownIdentity({ id: "0199a", created: 17 });

test("our identity is made from the request's hex digits", () => {
  expect(ours).toEqual({ id: "chatcmpl-0199a", created: 17 });
});

test("a provider's identity is not changed", () => {
  expect(identityOf({ id: "c-1", created: 0 }, ours)).toEqual({ id: "c-1", created: 0 });
});

test.each([
  {},
  { id: null, created: null },
  { id: "", created: "17" },
  { id: 1, created: 17.5 },
])("our identity replaces %j", (value) => {
  expect(identityOf(value, ours)).toEqual(ours);
});

test("each member is replaced independently", () => {
  expect(identityOf({ id: "c-1" }, ours)).toEqual({ id: "c-1", created: 17 });
  expect(identityOf({ created: 18 }, ours)).toEqual({ id: "chatcmpl-0199a", created: 18 });
});
