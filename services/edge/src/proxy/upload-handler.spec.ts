import { EventEmitter } from "node:events";
import { expect, test, vi } from "vitest";
import { forwardUpload } from "./upload-handler.ts";

function upload(headers: Record<string, string>) {
  const web = vi.fn();
  const dependencies = {
    balance: { check: async () => {} },
    revocations: { watch: () => () => {} },
  };
  const handler = forwardUpload(dependencies as never, { web } as never);
  const res = Object.assign(new EventEmitter(), { setHeader() {} });
  const context = {
    req: { headers, method: "POST" },
    res,
    requestId: "req_1",
    route: "/v1/ocr",
    headers: {},
  };
  const run = async () => handler(context as never, { accountId: "a", keyId: "k" } as never);
  return { run, web };
}

test.each([
  "gzip",
  " BR ",
  "gzip, identity",
  "identity, identity",
])("a form in the content coding %j is refused before it is sent on", async (coding) => {
  const { run, web } = upload({ "content-encoding": coding });
  await expect(run()).rejects.toMatchObject({ code: "invalid_json", status: 415 });
  expect(web).not.toHaveBeenCalled();
});

test.each([
  {},
  { "content-encoding": "Identity" },
])("a form with %j is sent on", async (headers) => {
  const { run, web } = upload(headers);
  await run();
  expect(web).toHaveBeenCalledOnce();
});
