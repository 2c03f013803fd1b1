import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Environment } from "./config.ts";
import { StartError } from "./errors.ts";

/** A secret as it is stored: its value under a data key of its own, which `keyId` wraps. */
export interface SealedSecret {
  /** The value: nonce, tag and ciphertext of AES-256-GCM. */
  ciphertext: Uint8Array;
  /** The data key, in the same form. */
  wrappedKey: Uint8Array;
  /** Which key of `TOLLGATE_SECRETS_KEY` wraps the data key. */
  keyId: string;
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const idLength = 16;

/** Why a sealed secret cannot be opened. Its message names no value. */
export class SealError extends Error {
  override readonly name = "SealError";
}

/** The keys of `TOLLGATE_SECRETS_KEY`: the first one wraps, and each of them unwraps. */
export class SecretsKey {
  readonly #keys: ReadonlyMap<string, Buffer>;
  /** Identifies the key that wraps: the start of its SHA-256. */
  readonly id: string;

  constructor(keys: readonly Buffer[]) {
    this.#keys = new Map(keys.map((key) => [idOf(key), key]));
    this.id = [...this.#keys.keys()][0] ?? "";
  }

  /** Seals the value of the secret `name` under a new data key. */
  seal(name: string, value: string): SealedSecret {
    const dataKey = randomBytes(keyBytes);
    const ciphertext = encrypt(dataKey, Buffer.from(value), purposeOf("value", name));
    return { ciphertext, ...this.#wrap(name, dataKey) };
  }

  /** Returns the value of a sealed secret. Throws a SealError. */
  open(name: string, sealed: SealedSecret): string {
    const dataKey = this.#unwrap(name, sealed);
    return decrypt(dataKey, sealed.ciphertext, purposeOf("value", name)).toString();
  }

  /** Returns a secret whose data key is wrapped by the first key. Throws a SealError. */
  rewrap(name: string, sealed: SealedSecret): SealedSecret {
    if (sealed.keyId === this.id) return sealed;
    return { ciphertext: sealed.ciphertext, ...this.#wrap(name, this.#unwrap(name, sealed)) };
  }

  #wrap(name: string, dataKey: Buffer): Omit<SealedSecret, "ciphertext"> {
    const key = this.#keys.get(this.id) as Buffer;
    return { wrappedKey: encrypt(key, dataKey, purposeOf("data key", name)), keyId: this.id };
  }

  #unwrap(name: string, { wrappedKey, keyId }: SealedSecret): Buffer {
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      throw new SealError(
        `TOLLGATE_SECRETS_KEY has no key ${keyId}, which the secret ${name} needs`,
      );
    }
    return decrypt(key, wrappedKey, purposeOf("data key", name));
  }
}

/**
 * Reads the text of `TOLLGATE_SECRETS_KEY`: keys of 32 bytes in base64 or hex, with commas between
 * them. Throws a StartError, which does not quote the text.
 */
export function readSecretsKey(text: string): SecretsKey {
  const keys = text.split(",").map((one) => bytesOf(one.trim()));
  if (keys.every((key) => key.length === keyBytes)) return new SecretsKey(keys);
  const form = "one key of 32 bytes in base64 or hex, or several with commas between them";
  throw new StartError(`TOLLGATE_SECRETS_KEY: must be ${form}`);
}

/** Reads `TOLLGATE_SECRETS_KEY`, where it is set. Throws as `readSecretsKey` does. */
export function readOptionalSecretsKey(env: Environment): SecretsKey | undefined {
  const text = env.TOLLGATE_SECRETS_KEY;
  return text ? readSecretsKey(text) : undefined;
}

function bytesOf(text: string): Buffer {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  // Buffer skips what is not base64.
  return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : Buffer.alloc(0);
}

function idOf(key: Buffer): string {
  return createHash("sha256").update(key).digest("hex").slice(0, idLength);
}

/** What is sealed for one purpose, or one name, cannot be opened as another. */
function purposeOf(what: "value" | "data key", name: string): Buffer {
  return Buffer.from(`${what} of the secret ${name}`);
}

function encrypt(key: Buffer, text: Buffer, purpose: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(purpose);
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

function decrypt(key: Buffer, sealed: Uint8Array, purpose: Buffer): Buffer {
  const bytes = Buffer.from(sealed);
  const nonce = bytes.subarray(0, nonceBytes);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(purpose);
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([
      decipher.update(bytes.subarray(nonceBytes + tagBytes)),
      decipher.final(),
    ]);
  } catch {
    throw new SealError(`the ${purpose} was changed after it was stored`);
  }
}
