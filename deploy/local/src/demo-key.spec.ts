import { hash } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayError } from "@tollgate/core/errors";
import type { CreateKeyRequest } from "@tollgate/proto/tollgate/v1/operator";
import { expect, onTestFinished, test } from "vitest";
import { openDemoKey } from "./demo-key.ts";

test("every start has the same key, which is named and limited, until it is revoked", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-demo-key-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { operator, created, revoked } = operatorWithKeys();
  const first = await openDemoKey(operator, folder);
  expect(await openDemoKey(operator, folder)).toBe(first);
  expect(created).toMatchObject([{ account: "demo", name: "demo", limits: { budget: {} } }]);
  expect((await stat(join(folder, "demo-key"))).mode & 0o077).toBe(0);
  revoked.add(first);
  const second = await openDemoKey(operator, folder);
  expect(second).not.toBe(first);
  expect(await openDemoKey(operator, folder)).toBe(second);
  // The folder of another gateway.
  expect(await openDemoKey(operatorWithKeys("other").operator, folder)).toBe("key-other-1");
});

function operatorWithKeys(name = "one") {
  const created: Partial<CreateKeyRequest>[] = [];
  const revoked = new Set<string>();
  const operator = {
    createAccount: async () => ({}),
    async createKey(request: Partial<CreateKeyRequest>) {
      created.push(request);
      return { key: `key-${name}-${created.length}` };
    },
    async getKey({ keyHash }: { keyHash?: Uint8Array }) {
      const texts = created.map((_, index) => `key-${name}-${index + 1}`);
      const text = texts.find((one) =>
        hash("sha256", one, "buffer").equals(keyHash ?? new Uint8Array()),
      );
      if (text === undefined) throw new GatewayError("not_found", "No key has this text.");
      return { key: revoked.has(text) ? { revokedAt: {} } : {} };
    },
  };
  return { operator: operator as unknown as Parameters<typeof openDemoKey>[0], created, revoked };
}
