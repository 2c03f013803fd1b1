import { expect, test } from "vitest";
import { createSealer } from "./sealing.ts";

test("a sealed text is opened by its key and in its context alone", () => {
  const sealer = createSealer("x".repeat(32));
  const sealed = sealer.seal("https://console.example.com/invitation#secret", "mail_1");
  expect(Buffer.from(sealed).includes("secret")).toBe(false);
  expect(sealer.open(sealed, "mail_1")).toBe("https://console.example.com/invitation#secret");
  expect(() => sealer.open(sealed, "mail_2")).toThrow();
  expect(() => createSealer("y".repeat(32)).open(sealed, "mail_1")).toThrow();
  expect(sealer.seal("same", "")).not.toEqual(sealer.seal("same", ""));
  expect(() => sealer.open(sealed.with(20, (sealed[20] ?? 0) ^ 1), "mail_1")).toThrow();
});

test("a fingerprint is the same for the same text, and another one by another key", () => {
  const { fingerprint } = createSealer("x".repeat(32));
  expect(fingerprint("ada@example.com")).toBe(fingerprint("ada@example.com"));
  expect(fingerprint("ada@example.com")).not.toBe(
    createSealer("y".repeat(32)).fingerprint("ada@example.com"),
  );
});
