import type { IncomingHttpHeaders } from "node:http";
import { create } from "@bufbuild/protobuf";
import { createPeerAuth, secretHeader } from "@tollgate/core/peer-auth";
import { Admission, CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { expect, test } from "vitest";
import { forwardCaller, readForwardedCaller } from "./forwarded-caller.ts";

const caller = create(CallerSchema, {
  requestId: "req_1",
  accountId: "acct_1",
  keyId: "key_1",
  admission: Admission.STRICT,
});

test("secrets and forged headers are removed, the caller and the fleet's secret are added", () => {
  const headers: IncomingHttpHeaders = {
    authorization: "Bearer sk-tollgate-x",
    cookie: "session=1",
    expect: "100-continue",
    "idempotency-key": "again",
    "x-request-id": "forged",
    "x-tollgate-account-id": "acct_other",
    "x-tollgate-anything": "forged",
    [secretHeader]: "forged",
    "content-type": "multipart/form-data; boundary=b",
  };
  forwardCaller(headers, caller, createPeerAuth({ fleet: "secret" }));
  expect(headers).toEqual({
    "content-type": "multipart/form-data; boundary=b",
    "x-tollgate-request-id": "req_1",
    "x-tollgate-account-id": "acct_1",
    "x-tollgate-key-id": "key_1",
    "x-tollgate-admission": "2",
    [secretHeader]: "secret",
  });
  expect(readForwardedCaller(headers, createPeerAuth({ fleet: "secret" }))).toEqual(caller);
  expect(() => readForwardedCaller(headers, createPeerAuth({ fleet: "another" }))).toThrow(
    "from the edge",
  );
});

test("a client's secret header is not forwarded where the fleet has no secret", () => {
  const headers: IncomingHttpHeaders = { [secretHeader]: "forged" };
  forwardCaller(headers, caller, createPeerAuth({}));
  expect(headers[secretHeader]).toBeUndefined();
});

test("the plan of the account is forwarded, and a client cannot give itself one", () => {
  const planned = create(CallerSchema, { ...caller, plan: "gold" });
  for (const sent of [planned, caller]) {
    const headers: IncomingHttpHeaders = { "x-tollgate-plan": "forged" };
    forwardCaller(headers, sent, createPeerAuth({ fleet: "secret" }));
    expect(readForwardedCaller(headers, createPeerAuth({ fleet: "secret" }))).toEqual(sent);
  }
});

test("the policy of the caller's key is forwarded, with models of any characters", () => {
  const models = ["acme/*", "a,b %2C", 'quo"te', "größe-\u{1f600}", "line\nbreak", "\ud800"];
  const limited = create(CallerSchema, { ...caller, models, isLimited: true });
  const headers: IncomingHttpHeaders = { "x-tollgate-models": "forged" };
  forwardCaller(headers, limited, createPeerAuth({ fleet: "secret" }));
  expect(headers["x-tollgate-models"]).toMatch(/^[\w-]+$/);
  expect(readForwardedCaller(headers, createPeerAuth({ fleet: "secret" }))).toEqual(limited);
});

test("a client cannot give itself the policy of a key", () => {
  const forged = { "x-tollgate-models": "WyIqIl0", "x-tollgate-limited": "true" };
  const headers: IncomingHttpHeaders = { ...forged };
  forwardCaller(headers, caller, createPeerAuth({ fleet: "secret" }));
  expect(readForwardedCaller(headers, createPeerAuth({ fleet: "secret" }))).toEqual(caller);
});
