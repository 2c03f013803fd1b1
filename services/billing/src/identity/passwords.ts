import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { invalidParam } from "@tollgate/core/errors";
import { createTurns } from "@tollgate/core/turns";

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** One of the settings of OWASP's Password Storage Cheat Sheet: 32 MiB and some 200 ms. */
export const safeCost = 15;
const parameters = { r: 8, p: 3 };
const saltBytes = 16;
const hashBytes = 32;

const minLength = 12;
const maxLength = 1_024;

/** How many passwords may wait, each for some 200 ms. */
const maxWaiting = 20;

/** Hashes passwords, and checks them. */
export interface Passwords {
  /** Resolves with what is stored of a password: `N$r$p$salt$hash`. */
  hash(password: string): Promise<string>;
  /**
   * Resolves with whether a password is the stored one. It takes as long where none is stored, so that
   * the time does not reveal which operators exist.
   */
  isStored(password: string, stored: string | null): Promise<boolean>;
}

/**
 * Creates what hashes one password at a time, so that sign-ins leave the other cores and the memory of
 * the process to the keys of clients. More than 20 that wait are refused with `rate_limited`. The memory and
 * the time of a hash grow with 2 to the power of `cost`.
 */
export function createPasswords(cost = safeCost): Passwords {
  const inTurn = createTurns(
    maxWaiting,
    "Too many people sign in at the same time. Retry in a moment.",
  );
  return {
    hash: (password) => inTurn(() => hashPassword(password, cost)),
    isStored: (password, stored) => inTurn(() => isPassword(password, stored, cost)),
  };
}

/** Throws `invalid_param` for a new password that is too short or too long. */
export function checkNewPassword(password: string): void {
  if (password.length >= minLength && password.length <= maxLength) return;
  throw invalidParam("new_password", `must have ${minLength} to 1,024 characters`);
}

async function hashPassword(password: string, cost: number): Promise<string> {
  const { r, p } = parameters;
  const options = { N: 2 ** cost, r, p };
  const salt = randomBytes(saltBytes);
  const hash = await deriveKey(password, salt, options);
  const texts = [salt, hash].map((bytes) => bytes.toString("base64url"));
  return [options.N, r, p, ...texts].join("$");
}

async function isPassword(password: string, stored: string | null, cost: number): Promise<boolean> {
  const [N = "", r = "", p = "", salt = "", hash = ""] = (stored ?? decoyOf(cost)).split("$");
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const text = password.slice(0, maxLength + 1);
  const actual = await deriveKey(text, Buffer.from(salt, "base64url"), options);
  return timingSafeEqual(actual, Buffer.from(hash, "base64url")) && stored !== null;
}

function deriveKey(
  password: string,
  salt: Buffer,
  options: { N: number; r: number; p: number },
): Promise<Buffer> {
  // Twice of what scrypt uses, and a little where that is almost nothing.
  const maxmem = 2 * 128 * options.N * options.r + 2 ** 20;
  return derive(password.normalize("NFKC"), salt, hashBytes, { ...options, maxmem });
}

function decoyOf(cost: number): string {
  const { r, p } = parameters;
  return [2 ** cost, r, p, "AAAAAAAAAAAAAAAAAAAAAA", "A".repeat(43)].join("$");
}
