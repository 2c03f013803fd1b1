import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";

/** Returns a timestamp in Unix seconds, 0 if it is not set. */
export function toUnixSeconds(timestamp: Timestamp | undefined): number {
  return timestamp === undefined ? 0 : Math.floor(timestampMs(timestamp) / 1_000);
}
