import { create } from "@bufbuild/protobuf";
import { RequestTrailSchema } from "@tollgate/proto/tollgate/v1/usage";
import { expect, test } from "vitest";
import { readTrail, toTrailJson } from "./request-trail.ts";

test.each([true, false])("a stored trail says whether a part is billed: %s", (isPartial) => {
  const trail = create(RequestTrailSchema, { isPartial, responseId: "gen-1", isStreamed: true });
  const stored: unknown = JSON.parse(toTrailJson(trail));
  expect(readTrail(stored)).toMatchObject({ isPartial, responseId: "gen-1", isStreamed: true });
});
