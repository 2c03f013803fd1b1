import { Secret, TOTP } from "otpauth";

/** RFC 6238 recommends 160 bits for the default algorithm, the only one that all apps know. */
const secretBytes = 20;
const shared = { algorithm: "SHA1", digits: 6, period: 30 };
/** How many steps before and after the present one count, for clocks that differ and people who type. */
const window = 1;

/** Returns a new secret in base32. */
export function newTimeCodeSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** Returns the otpauth: URI by which an app reads a secret and the names beside its codes. */
export function timeCodeUri(secret: string, names: { issuer: string; label: string }): string {
  return new TOTP({ ...shared, ...names, secret: Secret.fromBase32(secret) }).toString();
}

/** Returns the step of 30 seconds whose code it is; undefined for a code that is not valid at this time. */
export function stepOfTimeCode(secret: string, code: string, now: Date): number | undefined {
  const totp = new TOTP({ ...shared, secret: Secret.fromBase32(secret) });
  const timestamp = now.getTime();
  const delta = totp.validate({ token: code, timestamp, window });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}
