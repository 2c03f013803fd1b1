import { expect, test } from "vitest";
import { typedIdentity } from "./identity-entry.ts";

const role = "arn:aws:iam::123456789012:role/tollgate";

test.each([
  ["bedrock", {}, {}, "default"],
  ["bedrock", { role_arn: role }, {}, { role_arn: role }],
  [
    "bedrock",
    { role_arn: role },
    { identity: { role_arn: "old", external_id: "old", session_name: "tollgate-eu" } },
    { role_arn: role, session_name: "tollgate-eu" },
  ],
  ["bedrock", {}, { identity: { role_arn: "old", session_name: "tollgate-eu" } }, "default"],
  [
    "vertex",
    { impersonate: "a@b.iam.gserviceaccount.com" },
    { identity: { role_arn: "old" } },
    {
      impersonate: "a@b.iam.gserviceaccount.com",
      role_arn: "old",
    },
  ],
])("the identity of the kind %s with the fields %j in %j is %j", (kind, fields, entry, identity) => {
  const values = (name: string) =>
    (fields as Record<string, string>)[name.replace("identity.", "")] ?? "";
  expect(typedIdentity(values, kind, entry)).toEqual(identity);
});
