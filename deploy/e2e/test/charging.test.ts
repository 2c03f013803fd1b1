import { describe, test } from "vitest";
import { endCall, expectCharge } from "../src/charging/endings.ts";
import { newSerialAccount } from "../src/charging/in-progress.ts";
import { cellsOf, endings } from "../src/charging/matrix.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack } = await sharedStack();

for (const ending of endings) {
  const end = endCall[ending];
  if (end === undefined || cellsOf(ending).length === 0) continue;
  describe(`when ${ending}`, () => {
    for (const cell of cellsOf(ending)) {
      test(`${cell.call.path} as ${cell.form} is charged: ${cell.charge}`, async () => {
        const open = await end(stack, await newSerialAccount(stack), cell);
        await expectCharge(stack, cell, open);
      });
    }
  });
}
