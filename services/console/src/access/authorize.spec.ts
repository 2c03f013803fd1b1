import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { IdentitySchema } from "@tollgate/proto/tollgate/v1/identity";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import { expect, test } from "vitest";
import { authorizeCall } from "./authorize.ts";
import { consoleRules, operatorRules, playgroundRule, type Rule } from "./permissions.ts";

test("a person who must set up a second factor may make no other call, with any role", () => {
  const rules: readonly (readonly [string, Rule])[] = [
    ...Object.entries<Rule>(operatorRules),
    ...Object.entries<Rule>(consoleRules),
    ["playground", playgroundRule],
  ];
  const allowed = (mustSetUpFactor: boolean) => {
    const identity = create(IdentitySchema, { role: OperatorRole.OWNER, mustSetUpFactor });
    return rules.filter(([, rule]) => {
      try {
        authorizeCall(identity, rule);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: Code.PermissionDenied });
        return false;
      }
    });
  };
  expect(allowed(false)).toHaveLength(rules.length);
  expect(allowed(true).map(([name]) => name)).toEqual([
    ...["setUpSecondFactor", "confirmSecondFactor"],
  ]);
});
