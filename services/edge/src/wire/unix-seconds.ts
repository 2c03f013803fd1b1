import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";

/** A time as answers tell it; 0 where there is none. */
export function toUnixSeconds(timestamp: Timestamp | undefined): number {
  return timestamp === undefined ? 0 : Math.floor(timestampMs(timestamp) / 1_000);
}
