import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Environment } from "./config.ts";
import { StartError } from "./errors.ts";

/** A secret as it is stored: its value under a data key of its own, which `keyId` wraps. */
export interface SealedSecret {
  /** The value: nonce, tag and ciphertext of AES-256-GCM. */
  ciphertext: Uint8Array;
  /** The data key, in the same form. */
  wrappedKey: Uint8Array;
  /** Which key of the environment variable wraps the data key. */
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

/** An environment variable with keys, and what these seal. */
export interface KeyVariable {
  readonly name: string;
  /** What has a name of its own, such as "the secret". */
  readonly subject: string;
}

const secretsVariable: KeyVariable = { name: "TOLLGATE_SECRETS_KEY", subject: "the secret" };

/** The keys of an environment variable: the first one wraps, and each of them unwraps. */
export class SecretsKey {
  readonly #variable: KeyVariable;
  readonly #keys: ReadonlyMap<string, Buffer>;
  /** Identifies the key that wraps: the start of its SHA-256. */
  readonly id: string;

  constructor(keys: readonly Buffer[], variable: KeyVariable) {
    this.#variable = variable;
    this.#keys = new Map(keys.map((key) => [idOf(key), key]));
    this.id = [...this.#keys.keys()][0] ?? "";
  }

  /** Seals the value of the subject `name` under a new data key. */
  seal(name: string, value: string | Uint8Array): SealedSecret {
    const dataKey = randomBytes(keyBytes);
    const ciphertext = encrypt(dataKey, Buffer.from(value), this.#purposeOf("value", name));
    return { ciphertext, ...this.#wrap(name, dataKey) };
  }

  /** Returns the text of a sealed value. Throws a SealError. */
  open(name: string, sealed: SealedSecret): string {
    return this.openBytes(name, sealed).toString();
  }

  /** Returns the bytes of a sealed value. Throws a SealError. */
  openBytes(name: string, sealed: SealedSecret): Buffer {
    const dataKey = this.#unwrap(name, sealed);
    return decrypt(dataKey, sealed.ciphertext, this.#purposeOf("value", name));
  }

  /** Returns a secret whose data key is wrapped by the first key. Throws a SealError. */
  rewrap(name: string, sealed: SealedSecret): SealedSecret {
    if (sealed.keyId === this.id) return sealed;
    return { ciphertext: sealed.ciphertext, ...this.#wrap(name, this.#unwrap(name, sealed)) };
  }

  #wrap(name: string, dataKey: Buffer): Omit<SealedSecret, "ciphertext"> {
    const key = this.#keys.get(this.id) as Buffer;
    return { wrappedKey: encrypt(key, dataKey, this.#purposeOf("data key", name)), keyId: this.id };
  }

  #unwrap(name: string, { wrappedKey, keyId }: SealedSecret): Buffer {
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      const { name: variable, subject } = this.#variable;
      throw new SealError(`${variable} has no key ${keyId}, which ${subject} ${name} needs`);
    }
    return decrypt(key, wrappedKey, this.#purposeOf("data key", name));
  }

  /** What is sealed for one purpose, or one name, cannot be opened as another. */
  #purposeOf(what: "value" | "data key", name: string): Buffer {
    return Buffer.from(`${what} of ${this.#variable.subject} ${name}`);
  }
}

/**
 * Reads the text of a variable, by default `TOLLGATE_SECRETS_KEY`: keys of 32 bytes in base64 or hex, with
 * commas between them. Throws a StartError, which does not quote the text.
 */
export function readSecretsKey(text: string, variable: KeyVariable = secretsVariable): SecretsKey {
  const keys = text.split(",").map((one) => bytesOf(one.trim()));
  if (keys.every((key) => key.length === keyBytes)) return new SecretsKey(keys, variable);
  const form = "one key of 32 bytes in base64 or hex, or several with commas between them";
  throw new StartError(`${variable.name}: must be ${form}`);
}

/** Reads such a variable, where it is set. Throws as `readSecretsKey` does. */
export function readOptionalSecretsKey(
  env: Environment,
  variable: KeyVariable = secretsVariable,
): SecretsKey | undefined {
  const text = env[variable.name];
  return text ? readSecretsKey(text, variable) : undefined;
}

function bytesOf(text: string): Buffer {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  // Buffer skips what is not base64.
  return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : Buffer.alloc(0);
}

function idOf(key: Buffer): string {
  return createHash("sha256").update(key).digest("hex").slice(0, idLength);
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
