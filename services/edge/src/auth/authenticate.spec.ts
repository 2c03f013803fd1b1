import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import {
  type BillingService,
  FindKeyResponseSchema,
  KeyState,
} from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import { localNotices } from "@tollgate/runtime/broker/notices";
import { expect, test } from "vitest";
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
  );
  expect(await authenticate(request)).toMatchObject({ keyId: "key_1" });
  for (let again = 0; again < 2; again += 1) {
    await expect(authenticate(request)).rejects.toMatchObject({ code: "key_revoked" });
  }
  expect(lookups).toBe(2);
});
