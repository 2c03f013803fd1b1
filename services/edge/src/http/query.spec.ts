import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { readModelQuery, rejectInvalidQuery } from "./query.ts";

test.each([
  ["", "model is required."],
  ["?model=", "model is required."],
  ["?model=a&model=b", "model must be sent once."],
  ["?model=a&mode=b", "mode is not a parameter of this route."],
])("the error of the query %j starts with the parameter and says what is allowed", (query, message) => {
  const req = { url: `/v1/audio/voices${query}` } as IncomingMessage;
  const read = () => {
    rejectInvalidQuery(req, ["model"]);
    return readModelQuery(req);
  };
  expect(read).toThrow(message);
});
