/** How the encrypted content of the simulator's own reasoning items begins. */
export const encryptedPrefix = "gAAAAASimulated";

/** Returns the encrypted content of a reasoning item, which only the simulator takes back. */
export function encryptedContent(seq: number): string {
  return `${encryptedPrefix}${Buffer.from(`reasoning-${seq}`).toString("base64url")}==`;
}
