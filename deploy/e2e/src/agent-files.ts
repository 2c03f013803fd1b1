import type { RecordedCall } from "@tollgate/simulator/call-log";
import { billPart, pixel } from "./chat-parts.ts";

const png = pixel.split(",")[1] ?? "";
const pdf = billPart.file.file_data.split(",")[1] ?? "";

/** The files of a project that agents read by their tools. */
export const filesOfAgents = {
  "pixel.png": Buffer.from(png, "base64"),
  "bill.pdf": Buffer.from(pdf, "base64"),
};

/** Returns which of the files the provider was sent, in base64 as every vendor takes it. */
export function mediaSentIn(calls: readonly RecordedCall[]): { png: boolean; pdf: boolean } {
  const sent = JSON.stringify(calls.map(({ body }) => body));
  return { png: sent.includes(png), pdf: sent.includes(pdf) };
}
