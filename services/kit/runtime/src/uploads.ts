import { tmpdir } from "node:os";
import type { Log } from "@tollgate/core/log";
import { maxFormBytes } from "@tollgate/http/form-fields";
import {
  createUploadSpace,
  removeLeftUploads,
  type UploadSpace,
} from "@tollgate/http/upload-space";
import type { Metrics } from "./operations/metrics.ts";

const mebibyte = 1024 * 1024;

/** The bounds of the disk space for uploads, in MiB. The least is the largest form. */
export const uploadBounds = { min: maxFormBytes / mebibyte, max: 1024 * 1024, default: 2_048 };

/** Removes uploads that a crash left, and returns the space for new ones, which a gauge shows. */
export async function openUploadSpace(
  maxMebibytes: number,
  { uploadBytes }: Metrics,
  log: Log,
): Promise<UploadSpace> {
  await removeLeftUploads(tmpdir());
  const maxBytes = maxMebibytes * mebibyte;
  return createUploadSpace({ maxBytes, log, onChange: (bytes) => uploadBytes.set(bytes) });
}
