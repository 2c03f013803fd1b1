import { expect, test } from "vitest";
import { checkNewPassword, hashPassword, isPassword } from "./passwords.ts";

test("a password is recognised by its salted hash, and no other is", async () => {
  const [one, other] = await Promise.all([
    hashPassword("open sesame"),
    hashPassword("open sesame"),
  ]);
  expect(one).not.toBe(other);
  expect(one).not.toContain("sesame");
  expect(await isPassword("open sesame", one)).toBe(true);
  expect(await isPassword("open sesame!", one)).toBe(false);
  expect(await isPassword("open sesame", null)).toBe(false);
});

test("a password has 12 to 1,024 characters", () => {
  expect(() => checkNewPassword("x".repeat(12))).not.toThrow();
  expect(() => checkNewPassword("x".repeat(1_024))).not.toThrow();
  for (const length of [0, 11, 1_025]) {
    expect(() => checkNewPassword("x".repeat(length))).toThrow(/12 to 1,024/);
  }
});
