import { expect, test } from "vitest";
import { createBodySpace } from "./body-space.ts";

const mebibyte = 1024 * 1024;
const busy = expect.objectContaining({ code: "no_provider_available", retryAfterSeconds: 2 });

function createFixture(maxMebibytes: number) {
  const changes: number[] = [];
  const onChange = (bytes: number) => void changes.push(bytes);
  return { ...createBodySpace(maxMebibytes * mebibyte, onChange), changes };
}

test("the bodies of one key take at most a quarter of the memory, and leave the rest to others", async () => {
  const { hold } = createFixture(256);
  await hold("a", async (first) => {
    first.grow(30 * mebibyte);
    await hold("a", async (second) => {
      second.grow(30 * mebibyte);
      expect(() => second.grow(5 * mebibyte)).toThrow(busy);
    });
    await hold("b", async (other) => other.grow(32 * mebibyte));
  });
});

test("one key may always send one body, also where a quarter is less", async () => {
  const { hold } = createFixture(64);
  await hold("a", async (body) => {
    body.grow(32 * mebibyte);
    expect(() => body.grow(1)).toThrow(busy);
  });
});

test("the bodies of all keys take at most the whole memory", async () => {
  const { hold } = createFixture(40);
  await hold("a", async (first) => {
    first.grow(30 * mebibyte);
    await hold("b", async (second) => {
      second.grow(10 * mebibyte);
      expect(() => second.grow(1)).toThrow(busy);
    });
  });
});

test("the memory is free again when the body was used, and when that failed", async () => {
  const { hold, changes } = createFixture(40);
  await hold("a", async (body) => body.grow(7));
  const failing = hold("a", async (body) => {
    body.grow(9);
    throw new Error("unusable");
  });
  await expect(failing).rejects.toThrow("unusable");
  expect(changes).toEqual([7, 0, 9, 0]);
});
