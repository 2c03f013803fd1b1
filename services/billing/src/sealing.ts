import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts stored texts about people that must be read again, such as mail with its links. */
export interface Sealer {
  /** Returns an encrypted text. `open` needs the same `context`, such as the id of its row. */
  seal(text: string, context: string): Uint8Array<ArrayBuffer>;
  /** Returns the text. Throws if the key or the context differs. */
  open(sealed: Uint8Array, context: string): string;
  /** Returns a hash that nobody can compute without the key. */
  fingerprint(text: string): string;
}

/** Creates a sealer from a secret: AES-256-GCM and HMAC-SHA-256, each with a key derived from it. */
export function createSealer(secret: string): Sealer {
  const keyOf = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
  const key = keyOf("tollgate identity: encryption");
  const hashKey = keyOf("tollgate identity: fingerprints");
  return {
    seal(text, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
      const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return new Uint8Array(Buffer.concat(parts));
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-tagBytes));
      const text = bytes.subarray(nonceBytes, -tagBytes);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
    },
    fingerprint: (text) => createHmac("sha256", hashKey).update(text).digest("base64url"),
  };
}
