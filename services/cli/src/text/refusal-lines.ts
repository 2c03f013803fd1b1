import type { RequestRefusal } from "@tollgate/proto/tollgate/v1/refusal";
import { field } from "./request-lines.ts";
import { isoTime } from "./times.ts";

/** Returns the lines that say why a request was refused, and who sent it. */
export function refusalLines(refusal: RequestRefusal): string[] {
  const { accountId, keyId, shownKey, alias, param, userAgent, clientRequestId } = refusal;
  const key = keyId === "" ? shownKey : `${accountId}, key ${keyId}`;
  const optional = [
    ["account", key],
    ["model", alias],
    ["field", param],
    ["client", [refusal.clientAddress, userAgent].filter(Boolean).join(", ")],
    ["client's id", clientRequestId],
  ] as const;
  return [
    `${refusal.requestId}  ${isoTime(refusal.refusedAt)}`,
    field("refused", `${refusal.status} ${refusal.code}: ${refusal.message}`),
    field("route", `${refusal.method} ${refusal.route}`),
    ...optional.flatMap(([name, text]) => (text === "" ? [] : [field(name, text)])),
  ];
}

/** Returns a refused request as the CLI prints it with --json. */
export function refusalJson(refusal: RequestRefusal) {
  return {
    request_id: refusal.requestId,
    refused_at: isoTime(refusal.refusedAt),
    status: refusal.status,
    code: refusal.code,
    message: refusal.message,
    param: refusal.param,
    method: refusal.method,
    route: refusal.route,
    alias: refusal.alias,
    account_id: refusal.accountId,
    key_id: refusal.keyId,
    shown_key: refusal.shownKey,
    client_address: refusal.clientAddress,
    user_agent: refusal.userAgent,
    client_request_id: refusal.clientRequestId,
  };
}
