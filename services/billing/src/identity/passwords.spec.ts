import { expect, test } from "vitest";
import { checkNewPassword, createPasswords } from "./passwords.ts";

/** Takes a millisecond. */
const testCost = 5;

test("a password is recognised by its salted hash, and no other is", async () => {
  const { hash, isStored } = createPasswords(testCost);
  const [one, other] = await Promise.all([hash("open sesame"), hash("open sesame")]);
  expect(one).not.toBe(other);
  expect(one).not.toContain("sesame");
  expect(await isStored("open sesame", one)).toBe(true);
  expect(await isStored("open sesame!", one)).toBe(false);
  expect(await isStored("open sesame", null)).toBe(false);
});

test("a password whose hash has another cost than new ones is recognised", async () => {
  const stored = await createPasswords().hash("open sesame");
  expect(stored).toMatch(/^32768\$8\$3\$/);
  const { isStored } = createPasswords(testCost);
  expect(await isStored("open sesame", stored)).toBe(true);
  expect(await isStored("open sesame!", stored)).toBe(false);
});

test("a password has 12 to 1,024 characters", () => {
  expect(() => checkNewPassword("x".repeat(12))).not.toThrow();
  expect(() => checkNewPassword("x".repeat(1_024))).not.toThrow();
  for (const length of [0, 11, 1_025]) {
    expect(() => checkNewPassword("x".repeat(length))).toThrow(/12 to 1,024/);
  }
});

test("more than 20 passwords at a time are refused, and the others are checked", async () => {
  const { isStored } = createPasswords(testCost);
  const checks = Array.from({ length: 22 }, () =>
    isStored("open sesame", `2$1$1$AA$${"A".repeat(43)}`),
  );
  const checked = await Promise.allSettled(checks);
  const refused = checked.filter(({ status }) => status === "rejected");
  expect(refused).toMatchObject([1, 2].map(() => ({ reason: { code: "rate_limited" } })));
  expect(await isStored("open sesame", null)).toBe(false);
});
