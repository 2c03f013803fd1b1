import { expect, test } from "vitest";
import { identityOf, ownIdentity } from "./answer-identity.ts";

const ours = ownIdentity("req_0199a", new Date(17_999));

test("our identity is the request's hex digits and whole seconds", () => {
  expect(ours).toEqual({ id: "chatcmpl-0199a", created: 17 });
});

test("a provider's own identity stays as it is", () => {
  expect(identityOf({ id: "c-1", created: 0 }, ours)).toEqual({ id: "c-1", created: 0 });
});

test.each([
  {},
  { id: null, created: null },
  { id: "", created: "17" },
  { id: 1, created: 17.5 },
])("ours stands in for %j", (value) => {
  expect(identityOf(value, ours)).toEqual(ours);
});

test("either member stands in by itself", () => {
  expect(identityOf({ id: "c-1" }, ours)).toEqual({ id: "c-1", created: 17 });
  expect(identityOf({ created: 18 }, ours)).toEqual({ id: "chatcmpl-0199a", created: 18 });
});
