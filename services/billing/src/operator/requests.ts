import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import type { RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";
import type { ListRequestsRequest, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { accountIdOf, nameAccounts } from "../accounts.ts";
import { liveProcesses, toProcess } from "../catalog/processes.ts";
import { findLabelledKeys } from "../labelled-keys.ts";
import { sumRefusals } from "../refusals/refusal-sums.ts";
import { findRefusals, listRefusals } from "../refusals/stored-refusals.ts";
import { pageSize } from "./account-messages.ts";
import { readNewestCatalog } from "./catalog.ts";
import { findEndUser } from "./end-users.ts";
import { nameIds, nameRows } from "./names.ts";
import type { OperatorParts } from "./parts.ts";

/** The operator's calls about requests and open holds. */
export function implementRequests(parts: OperatorParts) {
  const { prisma, ledger, slots, refusalDays, actor } = parts;
  return {
    async listHolds({ account, limit, beforeHoldId }) {
      const accountId = await accountIdOf(prisma, account);
      const page = { accountId, limit: pageSize(limit), beforeHoldId };
      const { holds, hasMore } = await ledger.listOpenHolds(page);
      const names = await nameIds(prisma, { keyIds: holds.map(({ keyId }) => keyId) });
      return { holds, hasMore, names };
    },
    listRequests: (request) => listRequests(parts, request),
    async getRequest({ id, account }) {
      const accountId = await accountIdOf(prisma, account);
      const [{ requests, entries, refunds }, refused] = await Promise.all([
        ledger.readRequest({ id, accountId }),
        findRefusals(prisma, { id, accountId }),
      ]);
      // The id of a provider is the operator's business: a customer's request is not found by it.
      const isCustomer = actor.accountId !== "";
      if (isCustomer && requests.some((one) => isProvidersId(one, id))) throw unknownRequest(id);
      // A live stream may be refused once it has held money.
      const ran = new Set(requests.map(({ requestId }) => requestId));
      const refusals = refused.filter(({ requestId }) => !ran.has(requestId));
      if (requests.length === 0 && refusals.length === 0) throw unknownRequest(id);
      const names = await nameRows(prisma, [...requests, ...refusals]);
      return { requests, entries, refunds, refusals, names };
    },
    async listRefusals({ account, keyId, code, limit, ...request }) {
      const filter = { accountId: await accountIdOf(prisma, account), keyId, code };
      const page = { ...request, filter, limit: pageSize(limit) };
      const { refusals, next = "" } = await listRefusals(prisma, page);
      const names = await nameRows(prisma, refusals);
      return { refusals, hasMore: next !== "", nextRequestId: next, names };
    },
    async readRetention() {
      return { retention: await ledger.getRetention({}), refusalDays };
    },
    async readOverview({ account, from, to }) {
      const accountId = await accountIdOf(prisma, account);
      // Read before any call begins: one that nobody awaits would end the process with its error.
      const dates = { from: dateOf(from, "from"), to: dateOf(to, "to") };
      const period = { ...(from && { from }), ...(to && { to }) };
      const [{ $typeName: _, ...overview }, refusals, outages, processes] = await Promise.all([
        ledger.sumOverview({ accountId, ...period }),
        sumRefusals(prisma, { accountId, ...dates }),
        accountId === "" ? slots.readOutages({}) : undefined,
        accountId === "" ? readRefusingProcesses(parts) : [],
      ]);
      const ids = overview.forecasts.map((forecast) => forecast.accountId);
      const names = await nameAccounts(prisma, ids);
      const forecasts = overview.forecasts.map((forecast) => ({
        ...forecast,
        accountName: names.get(forecast.accountId) ?? "",
      }));
      const { refusedKeys = [], outSlots = [] } = outages ?? {};
      const out = { refusedKeys, outSlots, refusingProcesses: processes };
      return { ...overview, forecasts, refusals, ...out };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

async function listRequests({ prisma, ledger }: OperatorParts, request: ListRequestsRequest) {
  const { account, keyId, alias, provider, routeType, plan, tag, owner } = request;
  const { onlyFailed, errorCode, beforeCursor, from, to, without, order } = request;
  const accountId = await accountIdOf(prisma, account);
  const [keys, endUser] = await Promise.all([
    findLabelledKeys(prisma, { accountId, tag, owner, without }),
    findEndUser(prisma, { accountId, named: request.endUser }),
  ]);
  const { requests, nextCursor } = await ledger.findRequests({
    ...{
      accountId,
      onlyFailed,
      errorCode,
      beforeCursor,
      limit: pageSize(request.limit),
      order,
    },
    filter: { keyId, alias, provider, routeType, plan, endUser, without },
    ...keys,
    ...(from && { from }),
    ...(to && { to }),
  });
  const names = await nameRows(prisma, requests);
  return { requests, hasMore: nextCursor !== "", nextCursor, names };
}

async function readRefusingProcesses(parts: OperatorParts) {
  const [processes, newest] = await Promise.all([
    liveProcesses(parts.prisma),
    readNewestCatalog(parts),
  ]);
  return processes
    .filter(({ refused_reason: reason }) => reason !== null)
    .map((process) => toProcess(process, newest));
}

/** Returns whether only a provider gave a request this id. */
function isProvidersId(request: RequestRecord, id: string): boolean {
  const { requestId, clientRequestId, responseId } = request;
  if ([request.id, requestId, clientRequestId, responseId].includes(id)) return false;
  return request.attempts.some((attempt) =>
    [attempt.providerRequestId, attempt.providerResponseId].includes(id),
  );
}

function dateOf(timestamp: Timestamp | undefined, name: string): Date {
  if (timestamp === undefined) throw invalidParam(name, "is required");
  return timestampDate(timestamp);
}

function unknownRequest(id: string): GatewayError {
  const reason = "A record is stored for some days, and of many refusals only of some.";
  const message = `No request has the id ${id}. ${reason}`;
  return new GatewayError("not_found", message);
}
