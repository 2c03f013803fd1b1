import { createHash } from "node:crypto";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type BillingService,
  FindKeyResponseSchema,
  KeyState,
} from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import { localNotices } from "@tollgate/runtime/broker/notices";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { expect, test, vi } from "vitest";
import { createAuthenticate } from "./authenticate.ts";

const request = {
  req: { headers: { authorization: "Bearer sk-tollgate-1" } },
  headers: {},
  requestId: "req_1",
};

test("a key that is revoked during its lookup is looked up again", async () => {
  const notices = localNotices();
  let state = KeyState.ACTIVE;
  let lookups = 0;
  const findKey = async () => {
    lookups += 1;
    await Promise.resolve();
    const found = create(FindKeyResponseSchema, { state, keyId: "key_1" });
    if (lookups === 1) {
      state = KeyState.REVOKED;
      notices.publish("key.changed", createHash("sha256").update("sk-tollgate-1").digest("hex"));
    }
    return found;
  };
  const authenticate = createAuthenticate(
    { findKey } as unknown as Client<typeof BillingService>,
    notices,
    { metrics: createMetrics(), now: () => new Date() },
  );
  expect(await authenticate(request)).toMatchObject({ keyId: "key_1" });
  for (let again = 0; again < 2; again += 1) {
    await expect(authenticate(request)).rejects.toMatchObject({ code: "key_revoked" });
  }
  expect(lookups).toBe(2);
});

/** Authentication over a billing service whose key has the given fields, at a time that moves. */
function createFixture(fields: MessageInitShape<typeof FindKeyResponseSchema>) {
  const key = { state: KeyState.ACTIVE, keyId: "key_1", accountId: "acct_1", ...fields };
  const clock = { now: new Date("2026-03-01T00:00:00Z") };
  const findKey = vi.fn(async () => create(FindKeyResponseSchema, key));
  const metrics = createMetrics();
  const local = localNotices();
  let missed = () => {};
  const notices = {
    ...local,
    onMissed(listener: () => void) {
      missed = listener;
    },
  };
  const billing = { findKey } as unknown as Client<typeof BillingService>;
  const authenticate = createAuthenticate(billing, notices, { metrics, now: () => clock.now });
  return { key, clock, findKey, metrics, notices, miss: () => missed(), authenticate };
}

test("a cached key is refused from the moment at which it expires, and counted", async () => {
  const expiresAt = new Date("2026-03-01T00:00:01Z");
  const { clock, findKey, metrics, authenticate } = createFixture({
    expiresAt: timestampFromDate(expiresAt),
  });
  expect(await authenticate(request)).toMatchObject({ keyId: "key_1" });
  clock.now = expiresAt;
  await expect(authenticate(request)).rejects.toMatchObject({
    code: "invalid_api_key",
    message: "This API key expired at 2026-03-01T00:00:01.000Z. Use another key.",
  });
  expect(findKey).toHaveBeenCalledOnce();
  const { values } = await metrics.limitRefusals.get();
  expect(values).toMatchObject([{ labels: { limit: "expired" }, value: 1 }]);
});

test("a key that billing reports as expired is refused", async () => {
  const { authenticate } = createFixture({ state: KeyState.EXPIRED });
  await expect(authenticate(request)).rejects.toMatchObject({ code: "invalid_api_key" });
});

test("a principal has the models of its key, and whether it is limited", async () => {
  const { authenticate } = createFixture({ models: ["acme/*"], isLimited: true });
  expect(await authenticate(request)).toMatchObject({ models: ["acme/*"], isLimited: true });
});

test("a notice of an account drops its keys, and lost notices drop all", async () => {
  const { findKey, notices, miss, authenticate } = createFixture({});
  await authenticate(request);
  notices.publish("account.changed", "acct_2");
  await authenticate(request);
  expect(findKey).toHaveBeenCalledTimes(1);
  notices.publish("account.changed", "acct_1");
  await authenticate(request);
  expect(findKey).toHaveBeenCalledTimes(2);
  miss();
  await authenticate(request);
  expect(findKey).toHaveBeenCalledTimes(3);
});
