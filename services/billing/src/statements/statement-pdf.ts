import { setImmediate as nextTurn } from "node:timers/promises";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import type { Statement, StatementLine } from "@tollgate/proto/tollgate/v1/statement";
import { fontFiles, fontPath } from "./fonts.ts";

const margin = 50;
const textWidth = 495;
const amountWidth = 110;
const rowHeight = 15;
/** A row that would begin below this begins a new page. */
const pageEnd = 770;
/** The rows that are drawn without a pause. They take some 25 ms. */
const rowsAtOnce = 10;

type Pdf = PDFKit.PDFDocument;

/**
 * Draws a statement. Resolves with the same PDF for the same statement. A row takes milliseconds, so that other work
 * of the process runs in between.
 */
export async function drawStatement(
  statement: Statement,
  pause: () => Promise<unknown> = nextTurn,
): Promise<Uint8Array<ArrayBuffer>> {
  const { default: PdfDocument } = await import("pdfkit");
  const { number, month, issuedAt, issuer, customer, sums } = statement;
  const createdAt = issuedAt === undefined ? new Date(0) : timestampDate(issuedAt);
  const title = `Statement ${numberText(number)}`;
  const info = { Title: title, CreationDate: createdAt, ModDate: createdAt };
  // The default font would be read from the package.
  const font = fontPath(fontFiles.regular);
  const pdf = new PdfDocument({ size: "A4", margin, font, info, bufferPages: true });
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
    pdf.on("end", () => resolve());
    pdf.on("error", reject);
  });
  pdf.registerFont("regular", font);
  pdf.registerFont("bold", fontPath(fontFiles.bold));
  drawHead(pdf, [title, `${month} (UTC), in USD`], { issuer, customer });
  const date = createdAt.toISOString().slice(0, 10);
  text(pdf, `Issued ${date}. Account ${statement.accountName} (${statement.accountId}).`);
  if (sums !== undefined) {
    const drawing = { pdf, pause };
    row(pdf, "Opening balance", sums.openingNanoUsd, "bold");
    await drawSection(drawing, "Top-ups", sums.topUps.map(lineOf), sums.topUpsNanoUsd);
    const charges = sums.charges.map(({ alias, keyId, keyName, requests, chargedNanoUsd }) => ({
      label: `${alias} · ${keyName === "" ? keyId : keyName} · ${requests} requests`,
      amount: -chargedNanoUsd,
    }));
    await drawSection(drawing, "Charges", charges, -sums.chargesNanoUsd);
    await drawSection(drawing, "Refunds", sums.refunds.map(lineOf), sums.refundsNanoUsd);
    await drawSection(
      drawing,
      "Adjustments",
      sums.adjustments.map(lineOf),
      sums.adjustmentsNanoUsd,
    );
    row(pdf, "Closing balance", sums.closingNanoUsd, "bold");
  }
  pdf.end();
  await ended;
  return new Uint8Array(Buffer.concat(chunks));
}

/** Returns the number of a statement as people read it. */
export function numberText(number: bigint): string {
  return String(number).padStart(6, "0");
}

interface Drawing {
  pdf: Pdf;
  /** Resolves when other work of the process has run. */
  pause(): Promise<unknown>;
}

interface Row {
  label: string;
  amount: bigint;
}

function lineOf({ at, reference, reason, amountNanoUsd, entries }: StatementLine): Row {
  if (entries > 1n) return { label: `${entries} more`, amount: amountNanoUsd };
  const day = at === undefined ? "" : timestampDate(at).toISOString().slice(0, 10);
  return { label: [day, reason, reference].filter(Boolean).join(" · "), amount: amountNanoUsd };
}

function drawHead(
  pdf: Pdf,
  [title = "", subtitle = ""]: string[],
  { issuer, customer }: { issuer: string[]; customer: string[] },
): void {
  pdf.font("bold", 18).text(title, margin, margin);
  pdf.font("regular", 10).text(subtitle);
  const top = pdf.y + 20;
  pdf.font("regular", 9).text(issuer.join("\n"), margin, top, { width: textWidth / 2 - 10 });
  const left = pdf.y;
  const middle = margin + textWidth / 2;
  pdf.text(customer.join("\n"), middle, top, { width: textWidth / 2 });
  pdf.y = Math.max(left, pdf.y) + 20;
}

async function drawSection(
  { pdf, pause }: Drawing,
  title: string,
  rows: readonly Row[],
  sum: bigint,
): Promise<void> {
  row(pdf, title, sum, "bold");
  for (const [index, { label, amount }] of rows.entries()) {
    if (index % rowsAtOnce === rowsAtOnce - 1) await pause();
    row(pdf, label, amount);
  }
}

function row(pdf: Pdf, label: string, amount: bigint, font: "regular" | "bold" = "regular"): void {
  if (pdf.y > pageEnd) pdf.addPage();
  const y = pdf.y + (font === "bold" ? 6 : 0);
  const width = textWidth - amountWidth - 10;
  const oneLine = { width, height: rowHeight, lineBreak: false, ellipsis: true };
  pdf.font(font, 9).text(label, margin, y, oneLine);
  const right = { width: amountWidth, align: "right" as const, lineBreak: false };
  pdf.text(formatUsd(amount), margin + textWidth - amountWidth, y, right);
  pdf.y = y + rowHeight;
}

function text(pdf: Pdf, line: string): void {
  pdf.font("regular", 9).text(line, margin, pdf.y, { width: textWidth });
  pdf.y += 10;
}
