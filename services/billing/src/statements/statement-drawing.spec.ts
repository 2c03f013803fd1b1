import { create } from "@bufbuild/protobuf";
import { StatementSchema } from "@tollgate/proto/tollgate/v1/statement";
import { expect, test } from "vitest";
import { createStatementDrawing } from "./statement-drawing.ts";
import { drawStatement } from "./statement-pdf.ts";

const pdf = new Uint8Array(1);

function statementOf(accountId: string) {
  return create(StatementSchema, { accountId });
}

test("one account has one statement drawn at a time, and others wait for their turn", async () => {
  let drawn = 0;
  const draw = createStatementDrawing(async () => {
    drawn += 1;
    expect(drawn).toBe(1);
    await Promise.resolve();
    drawn -= 1;
    return pdf;
  });
  const first = [draw(statementOf("a")), draw(statementOf("b"))];
  await expect(draw(statementOf("a"))).rejects.toMatchObject({ code: "rate_limited" });
  expect(await Promise.all(first)).toEqual([pdf, pdf]);
  expect(await draw(statementOf("a"))).toBe(pdf);
});

test("a statement that cannot be drawn does not keep the next one of its account from it", async () => {
  let fails = true;
  const draw = createStatementDrawing(async () => {
    if (!fails) return pdf;
    fails = false;
    throw new Error("no font");
  });
  await expect(draw(statementOf("a"))).rejects.toThrow("no font");
  expect(await draw(statementOf("a"))).toBe(pdf);
});

test("other work of the process runs after each ten rows of a statement", async () => {
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  const charges = Array.from({ length: 50 }, (_, n) => ({ alias: "a", keyId: `key_${n}` }));
  const pdfOfMany = await drawStatement(create(StatementSchema, { sums: { charges } }), pause);
  expect(Buffer.from(pdfOfMany).subarray(0, 5).toString()).toBe("%PDF-");
  expect(pauses).toBe(5);
});
