import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { GatewayError, invalidParam } from "@tollgate/core/errors";

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** One of the settings of OWASP's Password Storage Cheat Sheet: 32 MiB and some 200 ms. */
const cost = { N: 2 ** 15, r: 8, p: 3 };
const maxmem = 64 * 1024 * 1024;
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
 * the process to the keys of clients. More than 20 that wait are refused with `rate_limited`.
 */
export function createPasswords(): Passwords {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (waiting >= maxWaiting) {
      const message = "Too many people sign in at the same time. Retry in a moment.";
      throw new GatewayError("rate_limited", message, { retryAfterSeconds: 5 });
    }
    waiting += 1;
    const turn = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = turn.catch(() => {});
    return turn;
  }

  return {
    hash: (password) => inTurn(() => hashPassword(password)),
    isStored: (password, stored) => inTurn(() => isPassword(password, stored)),
  };
}

/** Throws `invalid_param` for a new password that is too short or too long. */
export function checkNewPassword(password: string): void {
  if (password.length >= minLength && password.length <= maxLength) return;
  throw invalidParam("new_password", `must have ${minLength} to 1,024 characters`);
}

async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password.normalize("NFKC"), salt, hashBytes, { ...cost, maxmem });
  const texts = [salt, hash].map((bytes) => bytes.toString("base64url"));
  return [cost.N, cost.r, cost.p, ...texts].join("$");
}

async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [N = "", r = "", p = "", salt = "", hash = ""] = (stored ?? decoy).split("$");
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem };
  const text = password.slice(0, maxLength + 1).normalize("NFKC");
  const actual = await derive(text, Buffer.from(salt, "base64url"), hashBytes, options);
  return timingSafeEqual(actual, Buffer.from(hash, "base64url")) && stored !== null;
}

const decoy = [cost.N, cost.r, cost.p, "AAAAAAAAAAAAAAAAAAAAAA", "A".repeat(43)].join("$");
