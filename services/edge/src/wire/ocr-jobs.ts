import { create } from "@bufbuild/protobuf";
import { GatewayError } from "@tollgate/kit/errors";
import type { Client } from "@tollgate/kit/rpc/implementation";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { DocumentService } from "@tollgate/proto/tollgate/v1/document";
import { jsonType, writeWhole } from "../answer.ts";
import type { Authenticate } from "../auth.ts";
import type { Route } from "../exchange.ts";
import { readQuery } from "../query.ts";

const timeoutMs = 5 * 60 * 1_000;

/** GET /v1/ocr/jobs/{id}?model=: how a job stands. Never refused for an empty wallet. */
export function readOcrJob(
  authenticate: Authenticate,
  document: Client<typeof DocumentService>,
): Route {
  return async (exchange) => {
    const { keyId, accountId } = await authenticate(exchange);
    const { req, requestId, signal } = exchange;
    const { model: alias = "" } = readQuery(req, ["model"]);
    if (alias === "") {
      throw new GatewayError("invalid_param", "model: is required.", { param: "model" });
    }
    const jobId = [req.params.id ?? []].flat().join("/");
    const caller = create(CallerSchema, { requestId, keyId, accountId });
    const { body } = await document.readOcrJob({ caller, alias, jobId }, { signal, timeoutMs });
    writeWhole(exchange, { contentType: jsonType, body }, () => ({}));
  };
}
