import { callerOf } from "../../auth/caller.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import { readModelQuery } from "../../http/query.ts";
import { jsonType, writeResponse } from "../../http/response.ts";
import { forwardUpload } from "../../proxy/upload-handler.ts";
import type { RouteDependencies } from "../dependencies.ts";

const timeoutMs = 5 * 60 * 1_000;

/** POST /v1/ocr/jobs. The document service reads the form. */
export function createOcrJob(dependencies: RouteDependencies): KeyedHandler {
  return forwardUpload(dependencies, dependencies.proxies.document);
}

/** GET /v1/ocr/jobs/{id}?model=. The wallet is not checked: the job has a hold. */
export function readOcrJob({ services }: RouteDependencies): KeyedHandler {
  return async (context, principal) => {
    const { req, pathParameter: jobId = "", signal } = context;
    const alias = readModelQuery(req);
    const caller = callerOf(context, principal);
    const request = { caller, alias, jobId };
    const { body } = await services.document.readOcrJob(request, { signal, timeoutMs });
    writeResponse(context, { contentType: jsonType, body });
  };
}
