import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { StartError } from "./errors.ts";
import { readSecretsKey, SealError } from "./secrets-key.ts";

const value = "sk-proj-0123456789abcdef";
const old = randomBytes(32).toString("base64");
const next = randomBytes(32).toString("hex");

describe("TOLLGATE_SECRETS_KEY", () => {
  it("opens what it has sealed, which does not contain the value", () => {
    const key = readSecretsKey(old);
    const sealed = key.seal("main", value);
    expect(Buffer.concat([sealed.ciphertext, sealed.wrappedKey]).includes(value)).toBe(false);
    expect(key.open("main", sealed)).toBe(value);
    expect(key.seal("main", value).ciphertext).not.toEqual(sealed.ciphertext);
  });

  it("does not open a secret under another name", () => {
    const key = readSecretsKey(old);
    const [one, other] = [key.seal("one", value), key.seal("other", "sk-other")];
    expect(() => key.open("other", one)).toThrow(SealError);
    expect(() => key.open("one", { ...one, ciphertext: other.ciphertext })).toThrow(SealError);
  });

  it("does not open a secret that was changed", () => {
    const key = readSecretsKey(old);
    const sealed = key.seal("main", value);
    const ciphertext = Buffer.from(sealed.ciphertext);
    ciphertext[ciphertext.length - 1] = (ciphertext.at(-1) ?? 0) ^ 1;
    expect(() => key.open("main", { ...sealed, ciphertext })).toThrow(SealError);
    expect(() => key.open("main", { ...sealed, ciphertext: Buffer.alloc(3) })).toThrow(SealError);
  });

  it("wraps with its first key, and unwraps with each", () => {
    const sealed = readSecretsKey(old).seal("main", value);
    const both = readSecretsKey(`${next}, ${old}`);
    expect(both.open("main", sealed)).toBe(value);
    const rewrapped = both.rewrap("main", sealed);
    expect(rewrapped.ciphertext).toEqual(sealed.ciphertext);
    expect(rewrapped.keyId).toBe(readSecretsKey(next).id);
    expect(readSecretsKey(next).open("main", rewrapped)).toBe(value);
    expect(() => readSecretsKey(old).open("main", rewrapped)).toThrow(/has no key/);
    expect(both.rewrap("main", rewrapped)).toBe(rewrapped);
  });

  it.each(["", "short", `${old},`, `${old},x`, "=".repeat(44)])("refuses %j unquoted", (text) => {
    expect(() => readSecretsKey(text)).toThrow(StartError);
    expect(() => readSecretsKey(text)).toThrow(
      /^TOLLGATE_SECRETS_KEY: must be one key of 32 bytes/,
    );
  });
});
