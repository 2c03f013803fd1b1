import { createHash } from "node:crypto";
import type { Upload } from "@tollgate/simulator/call-log";
import type { Stack } from "./stack.ts";

/** The upload that the provider was sent last, by anybody. */
export function lastUpload({ simulator }: Stack): Upload | undefined {
  return simulator.calls.list().at(-1)?.upload;
}

/** What the provider notes of an upload's bytes. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
