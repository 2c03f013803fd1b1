import { cp, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSecretsKey } from "@tollgate/core/secrets-key";
import { expect, onTestFinished, test } from "vitest";
import { openSecretsKey } from "./secrets-key.ts";

test("a data folder has one key, in a file that only its user may read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-secrets-key-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const key = await openSecretsKey(folder);
  expect(readSecretsKey(key).id).toMatch(/^[0-9a-f]{16}$/);
  expect(await openSecretsKey(folder)).toBe(key);
  const file = join(folder, "secrets-key");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readFile(file, "utf8")).trim()).toBe(key);
});

test("a copy of a data folder opens its secrets, and one without the key says which key it needs", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-secrets-key-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const original = join(folder, "original");
  await mkdir(original);
  const key = readSecretsKey(await openSecretsKey(original));
  const sealed = key.seal("main", "sk-test");
  const copy = join(folder, "copy");
  await cp(original, copy, { recursive: true });
  expect(readSecretsKey(await openSecretsKey(copy)).open("main", sealed)).toBe("sk-test");
  expect((await stat(join(copy, "secrets-key"))).mode & 0o777).toBe(0o600);
  await rm(join(copy, "secrets-key"));
  const other = readSecretsKey(await openSecretsKey(copy));
  expect(() => other.open("main", sealed)).toThrow(
    `TOLLGATE_SECRETS_KEY has no key ${key.id}, which the secret main needs`,
  );
});
