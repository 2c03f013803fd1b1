import { expect, test } from "vitest";
import { testKinds } from "../../test/kinds.ts";
import { parseCatalog } from "../parse.ts";

function providerOf(entry: object) {
  const file = {
    providers: { near: { kind: "regional", region: "east-1", ...entry } },
    models: [],
  };
  return parseCatalog(JSON.stringify(file), testKinds).providers.get("near");
}

test.each([
  [{ identity: "default" }, {}],
  [{ identity: { role: "role-a", extra: "b" } }, { role: "role-a", extra: "b" }],
  [{}, undefined],
  [{ secret: "main" }, undefined],
])("the identity of %j is %j", (entry, identity) => {
  expect(providerOf(entry)?.identity).toEqual(identity);
});

test.each([
  [{ identity: { role: "a" } }, "identity.role: must be the name of a role"],
  [{ identity: { extra: "b" } }, "identity.extra: must not be set without role"],
  [{ identity: { roles: "a" } }, "identity.roles: is unknown: the kind regional has role, extra"],
  [{ identity: "mine" }, "identity: must be default, or an object of texts"],
  [{ identity: { role: 1 } }, "identity: must be default, or an object of texts"],
  [
    { identity: "default", secret: "main" },
    "identity: must not be set beside a key: a provider is called by one or the other",
  ],
  [
    { kind: "closed", region: undefined, identity: "default" },
    "identity: must not be set: the kind closed has keys only",
  ],
])("an identity that cannot be used is refused: %j", (entry, problem) => {
  expect(() => providerOf(entry)).toThrow(`providers.near.${problem}`);
});
