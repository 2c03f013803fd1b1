import { createHash } from "node:crypto";
import type { RecordedUpload } from "@tollgate/simulator/call-log";
import type { Stack } from "./stack.ts";

/** Returns the last upload that the provider received from any client. */
export function lastUpload({ simulator }: Stack): RecordedUpload | undefined {
  return simulator.calls.list().at(-1)?.upload;
}

/** Returns the hash that the simulator records of an upload. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
