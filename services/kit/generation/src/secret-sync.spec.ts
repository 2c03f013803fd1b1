import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { createLog } from "@tollgate/core/log";
import { readSecretsKey } from "@tollgate/core/secrets-key";
import { ReadSecretsResponseSchema, type StoredSecret } from "@tollgate/proto/tollgate/v1/secret";
import { localNotices, type Notices } from "@tollgate/runtime/broker/notices";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type SecretSyncParts, syncSecrets } from "./secret-sync.ts";

const key = readSecretsKey(randomBytes(32).toString("hex"));
/** No test waits for the next read. */
const pollMs = 3_600_000;

/** Starts to read the secrets of a billing service whose calls fail while `isAway`. */
function world(notices: Pick<Notices, "subscribe" | "onMissed">) {
  const billing = { value: "", isAway: false };
  const onChange = vi.fn<(name: string) => void>();
  const readSecrets = vi.fn(async () => {
    if (billing.isAway) throw new Error("billing is away");
    const { value } = billing;
    const secrets =
      value === "" ? [] : [{ name: "main", version: value, ...key.seal("main", value) }];
    return create(ReadSecretsResponseSchema, {
      version: value,
      secrets: secrets as StoredSecret[],
    });
  });
  const secrets = { readSecrets } as SecretSyncParts["secrets"];
  const sync = syncSecrets({ secrets, notices, key, log: createLog("silent"), pollMs, onChange });
  onTestFinished(sync.stop);
  return { billing, sync, readSecrets, onChange, current: () => sync.values.current("main") };
}

describe("a stored key that was changed is in use at once", () => {
  test("after its notice", async () => {
    const notices = localNotices();
    const { billing, sync, onChange, current } = world(notices);
    await sync.firstRead;
    for (const value of ["first", "second"]) {
      billing.value = value;
      notices.publish("secret.changed", "main");
      await vi.waitFor(() => expect(current()).toBe(value));
    }
    expect(onChange.mock.calls).toEqual([["main"], ["main"]]);
  });

  test("after a read that was in progress when its notice arrived", async () => {
    const notices = localNotices();
    const { billing, sync, readSecrets, current } = world(notices);
    await sync.firstRead;
    const before = Promise.withResolvers<never>();
    readSecrets.mockImplementationOnce(() => before.promise);
    notices.publish("secret.changed", "main");
    await vi.waitFor(() => expect(readSecrets).toHaveBeenCalledTimes(2));
    billing.value = "new";
    notices.publish("secret.changed", "main");
    before.resolve(create(ReadSecretsResponseSchema, { version: "" }) as never);
    await vi.waitFor(() => expect(current()).toBe("new"));
  });

  test("once notices arrive again, some of which may have been lost", async () => {
    let restore = () => {};
    const { billing, sync, current } = world({
      subscribe() {},
      onMissed: (listener) => (restore = listener),
    });
    await sync.firstRead;
    billing.value = "new";
    restore();
    await vi.waitFor(() => expect(current()).toBe("new"));
  });
});

test("the last value stays in use while billing cannot be reached", async () => {
  const notices = localNotices();
  const { billing, sync, readSecrets, current } = world(notices);
  await sync.firstRead;
  billing.value = "first";
  notices.publish("secret.changed", "main");
  await vi.waitFor(() => expect(current()).toBe("first"));
  billing.isAway = true;
  const reads = readSecrets.mock.calls.length;
  notices.publish("secret.changed", "main");
  await vi.waitFor(() => expect(readSecrets.mock.calls.length).toBeGreaterThan(reads));
  expect(current()).toBe("first");
});
