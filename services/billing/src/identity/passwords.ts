import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { invalidParam } from "@tollgate/core/errors";

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** One of the settings of OWASP's Password Storage Cheat Sheet: 32 MiB and some 200 ms. */
const cost = { N: 2 ** 15, r: 8, p: 3 };
const maxmem = 64 * 1024 * 1024;
const saltBytes = 16;
const hashBytes = 32;

const minLength = 12;
const maxLength = 1_024;

/** Throws `invalid_param` for a new password that is too short or too long. */
export function checkNewPassword(password: string): void {
  if (password.length >= minLength && password.length <= maxLength) return;
  throw invalidParam("new_password", `must have ${minLength} to 1,024 characters`);
}

/** Resolves with what is stored of a password: `N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password.normalize("NFKC"), salt, hashBytes, { ...cost, maxmem });
  const texts = [salt, hash].map((bytes) => bytes.toString("base64url"));
  return [cost.N, cost.r, cost.p, ...texts].join("$");
}

/**
 * Resolves with whether a password is the stored one. It takes as long where none is stored, so that
 * the time does not reveal which operators exist.
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [N = "", r = "", p = "", salt = "", hash = ""] = (stored ?? decoy).split("$");
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem };
  const text = password.slice(0, maxLength + 1).normalize("NFKC");
  const actual = await derive(text, Buffer.from(salt, "base64url"), hashBytes, options);
  return timingSafeEqual(actual, Buffer.from(hash, "base64url")) && stored !== null;
}

const decoy = [cost.N, cost.r, cost.p, "AAAAAAAAAAAAAAAAAAAAAA", "A".repeat(43)].join("$");
