import { OperatorRole, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { expect, test } from "vitest";
import { operatorRules, type Rule } from "./permissions.ts";

const rules: Readonly<Record<string, Rule>> = operatorRules;

test("every call that a customer or a member may make is confined to its account", () => {
  for (const { localName, input } of OperatorService.methods) {
    const { role, members, confinedBy } = rules[localName] as Rule;
    expect([localName, members]).not.toEqual([localName, "anybody"]);
    const isForCustomers = role === OperatorRole.CUSTOMER || members !== undefined;
    expect([localName, isForCustomers]).toEqual([localName, confinedBy !== undefined]);
    if (confinedBy === undefined) continue;
    expect([localName, Object.keys(input.field)]).toEqual([
      localName,
      expect.arrayContaining([confinedBy === "key" ? "keyId" : "account"]),
    ]);
  }
});

test("every call of a customer is one of a member, too", () => {
  for (const [name, { role, members }] of Object.entries(rules)) {
    if (role === OperatorRole.CUSTOMER) expect([name, members]).not.toEqual([name, undefined]);
  }
});

test("every call that changes something, or calls a provider, needs the role operator or owner", () => {
  const reads = /^(?!listProviderModels)(list|get|read|count)/;
  for (const [name, { role }] of Object.entries(operatorRules)) {
    const isRead = reads.test(name);
    expect([name, isRead ? role <= OperatorRole.VIEWER : role >= OperatorRole.OPERATOR]).toEqual([
      name,
      true,
    ]);
  }
});
