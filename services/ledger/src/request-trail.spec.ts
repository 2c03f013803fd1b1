import { create } from "@bufbuild/protobuf";
import { RequestTrailSchema } from "@tollgate/proto/tollgate/v1/usage";
import { expect, test } from "vitest";
import { otherIdsOf, readTrail, toTrailJson } from "./request-trail.ts";

test.each([true, false])("a stored trail says whether a part is billed: %s", (isPartial) => {
  const trail = create(RequestTrailSchema, { isPartial, responseId: "gen-1", isStreamed: true });
  const stored: unknown = JSON.parse(toTrailJson(trail));
  expect(readTrail(stored)).toMatchObject({ isPartial, responseId: "gen-1", isStreamed: true });
});

test.each([
  ["upstream_rejected", "upstream_rejected", false],
  ["", "upstream_rejected", true],
  ["cancelled", "", false],
  ["", "", false],
])("a stored trail of the error %j has the code %j that its client was sent", (errorCode, clientCode, isPartial) => {
  const trail = create(RequestTrailSchema, { errorCode, clientCode, isPartial });
  expect(readTrail(JSON.parse(toTrailJson(trail)))).toMatchObject({ clientCode, isPartial });
});

test("the ids of vLLM's responses are stored, which have the form of the gateway's own", () => {
  const digits = "0123456789abcdef0123456789abcdef";
  const own = "req_019a2b3c4d5e7f60718293a4b5c6d7e8";
  const responseId = own.replace("req_", "chatcmpl-");
  const attempts = [{ providerRequestId: "", providerResponseId: `chatcmpl-${digits}` }];
  const trail = create(RequestTrailSchema, { clientRequestId: "order-1", responseId, attempts });
  expect(otherIdsOf(own, trail)?.split("\n")).toEqual(["order-1", `chatcmpl-${digits}`]);
});

test("a job is found by the ids of its creation, and by none twice", () => {
  const creation = { creationRequestId: "req_1", creationClientRequestId: "scan-1" };
  const trail = create(RequestTrailSchema, {
    ...creation,
    clientRequestId: "scan-1",
    responseId: "job-1",
  });
  expect(otherIdsOf("req_2", trail)?.split("\n")).toEqual(["scan-1", "job-1", "req_1"]);
  expect(otherIdsOf("req_1", trail)?.split("\n")).toEqual(["scan-1", "job-1"]);
  expect(readTrail(JSON.parse(toTrailJson(trail)))).toMatchObject({ ...creation, clientCode: "" });
});
