import { OperatorRole, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { expect, test } from "vitest";
import { operatorRules } from "./permissions.ts";

test("every call that a customer may make is confined to its account", () => {
  for (const { localName, input, output } of OperatorService.methods) {
    const { role, confinedBy } = operatorRules[localName as keyof typeof operatorRules];
    expect([localName, role === OperatorRole.CUSTOMER]).toEqual([
      localName,
      confinedBy !== undefined,
    ]);
    const message = confinedBy === "key" ? output : input;
    if (confinedBy === undefined) continue;
    expect([localName, Object.keys(message.field)]).toEqual([
      localName,
      expect.arrayContaining([confinedBy]),
    ]);
  }
});

test("every call that changes something needs the role operator or owner", () => {
  const reads = /^(list|get|read|count)/;
  for (const [name, { role }] of Object.entries(operatorRules)) {
    const isRead = reads.test(name);
    expect([name, isRead ? role <= OperatorRole.VIEWER : role >= OperatorRole.OPERATOR]).toEqual([
      name,
      true,
    ]);
  }
});
