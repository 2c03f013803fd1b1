import { create } from "@bufbuild/protobuf";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { DocumentService } from "@tollgate/proto/tollgate/v1/document";
import type { Client } from "@tollgate/rpc/implementation";
import { z } from "zod";
import { jsonType, noHeaders, writeWhole } from "../answer.ts";
import type { Authenticate } from "../auth.ts";
import type { Route } from "../exchange.ts";
import { jsonAnswer, modelParameter, type Operation } from "../openapi/operation.ts";
import { readModelQuery } from "../query.ts";

const timeoutMs = 5 * 60 * 1_000;

/** GET /v1/ocr/jobs/{id}?model=: how a job stands. Never refused for an empty wallet. */
export function readOcrJob(
  authenticate: Authenticate,
  document: Client<typeof DocumentService>,
): Route {
  return async (exchange) => {
    const { keyId, accountId } = await authenticate(exchange);
    const { req, pathParameter: jobId = "", requestId, signal } = exchange;
    const alias = readModelQuery(req);
    const caller = create(CallerSchema, { requestId, keyId, accountId });
    const { body } = await document.readOcrJob({ caller, alias, jobId }, { signal, timeoutMs });
    writeWhole(exchange, { contentType: jsonType, body }, noHeaders);
  };
}

export const readOcrJobOperation: Operation = {
  id: "readOcrJob",
  tag: "Documents",
  summary: "Read an OCR job",
  about:
    "The first read that finds the job done bills its pages; all others cost nothing. It is " +
    "answered for an empty wallet too.",
  access: "key",
  parameters: [
    {
      in: "path",
      name: "id",
      description: "The `job_id` that the job was created with.",
      required: true,
      schema: { type: "string" },
    },
    modelParameter("ocr"),
  ],
  answers: {
    200: jsonAnswer("OcrJob", z.looseObject({}), "The provider's words on the job as they came."),
  },
  errors: [
    "unknown_param",
    "invalid_param",
    "model_not_found",
    "not_found",
    "upstream_rejected",
    "no_provider_available",
  ],
};
