import { describe, test } from "vitest";
import { endingOf, expectCharge } from "../src/charging/endings.ts";
import { newSerialAccount } from "../src/charging/in-progress.ts";
import { cellsOf, endings } from "../src/charging/matrix.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack } = await sharedStack();

for (const ending of endings) {
  const cells = cellsOf(ending).filter((cell) => endingOf(cell) !== undefined);
  if (cells.length === 0) continue;
  describe(`when ${ending}`, () => {
    for (const cell of cells) {
      test(`${cell.call.path} as ${cell.form} is charged: ${cell.charge}`, async () => {
        const open = await endingOf(cell)?.(stack, await newSerialAccount(stack), cell);
        if (open !== undefined) await expectCharge(stack, cell, open);
      });
    }
  });
}
