import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { maxFormBytes } from "./form-fields.ts";
import { createSharedSpace } from "./shared-space.ts";

/** How soon a refused upload may be sent again. A usual upload takes a few seconds. */
const retryAfterSeconds = 5;

/** The names of the files of uploads start with this. */
export const uploadFilePrefix = "tollgate-upload-";

/** The disk space that the uploads of a process may use in all, and those of one API key. */
export interface UploadSpace {
  /** Returns an empty reservation for one upload of a key. */
  open(keyId: string): UploadReservation;
}

/** The disk space of one upload. */
export interface UploadReservation {
  /**
   * Adds bytes to the reservation. Throws `no_provider_available` with a `Retry-After` where the
   * process or the key would exceed its limit.
   */
  grow(bytes: number): void;
  /** Logs that the disk itself is full, and returns the same error. */
  diskFull(cause: Error): GatewayError;
  /** Releases all bytes. */
  release(): void;
}

export interface UploadSpaceOptions {
  /** The limit for the process, at least that of one form. */
  maxBytes: number;
  log: Log;
  /** Called with the bytes in use, whenever they change. */
  onChange(bytes: number): void;
}

/** Creates the space. One key may use a quarter of it, but always enough for one form. */
export function createUploadSpace({ maxBytes, log, onChange }: UploadSpaceOptions): UploadSpace {
  const space = createSharedSpace({ maxBytes, largestBytes: maxFormBytes, onChange });
  return {
    open(keyId) {
      const reserved = space.open(keyId);
      return {
        grow(bytes) {
          if (!reserved.take(bytes)) throw spaceInUse();
        },
        diskFull(cause) {
          log.error({ reason: cause.message }, "no disk space for uploads");
          return spaceInUse(cause);
        },
        release: reserved.release,
      };
    },
  };
}

/**
 * Removes the files of uploads that a process left in `folder` when it crashed. A file that another
 * process still uses remains readable to it: its name is not needed once it is open.
 */
export async function removeLeftUploads(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const left = names.filter((name) => name.startsWith(uploadFilePrefix));
  await Promise.all(left.map((name) => unlink(join(folder, name)).catch(() => {})));
}

function spaceInUse(cause?: Error): GatewayError {
  const message = "The gateway's space for uploads is in use. Retry in a moment.";
  return new GatewayError("no_provider_available", message, { retryAfterSeconds, cause });
}
