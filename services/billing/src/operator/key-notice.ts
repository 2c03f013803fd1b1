import type { Notices } from "@tollgate/runtime/broker/notices";

/** Makes the edges look a key up again. They know its texts by their hashes. */
export function publishKeyChange(notices: Notices, keyHash: Uint8Array): void {
  notices.publish("key.changed", Buffer.from(keyHash).toString("hex"));
}
