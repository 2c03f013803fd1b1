import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { AnyHandler, Implementation } from "@tollgate/rpc/implementation";
import { implementAccountEnds } from "./account-ends.ts";
import { implementAccounts } from "./accounts.ts";
import { implementAudit } from "./audit.ts";
import { implementAutoTopUps } from "./auto-top-ups.ts";
import { implementCatalogCalls } from "./catalog.ts";
import { checkRequest } from "./check-request.ts";
import { implementCodes } from "./codes.ts";
import { implementContents } from "./contents.ts";
import { implementEndUsers } from "./end-users.ts";
import { implementInvoiceChecks } from "./invoice-checks.ts";
import { implementKeyChanges } from "./key-changes.ts";
import { implementKeys } from "./keys.ts";
import { implementLedger } from "./ledger.ts";
import { implementMembers } from "./members.ts";
import { implementModels } from "./models.ts";
import { implementOperators } from "./operators.ts";
import type { OperatorParts } from "./parts.ts";
import { implementPayments } from "./payments.ts";
import { implementRequests } from "./requests.ts";
import { implementSecrets } from "./secrets.ts";
import { implementSignUps } from "./sign-ups.ts";
import { implementSlotTests } from "./slot-tests.ts";
import { implementStatements } from "./statements.ts";
import { implementTokens } from "./tokens.ts";
import { implementWallets } from "./wallets.ts";
import { implementWarnings } from "./warnings.ts";

/** Returns the implementation of the operator's commands, on behalf of an actor. Each request is checked first. */
export function implementOperator(parts: OperatorParts): Implementation<typeof OperatorService> {
  return withChecks({
    ...implementAccounts(parts),
    ...implementAccountEnds(parts),
    ...implementMembers(parts),
    ...implementSignUps(parts),
    ...implementKeys(parts),
    ...implementKeyChanges(parts),
    ...implementWallets(parts),
    ...implementPayments(parts),
    ...implementAutoTopUps(parts),
    ...implementInvoiceChecks(parts),
    ...implementStatements(parts),
    ...implementCodes(parts),
    ...implementWarnings(parts),
    ...implementLedger(parts),
    ...implementRequests(parts),
    ...implementContents(parts),
    ...implementEndUsers(parts),
    ...implementModels(parts),
    ...implementSecrets(parts),
    ...implementCatalogCalls(parts),
    ...implementSlotTests(parts),
    ...implementOperators(parts),
    ...implementTokens(parts),
    ...implementAudit(parts),
  });
}

type Calls = Implementation<typeof OperatorService>;

function withChecks(calls: Calls): Calls {
  const checked = OperatorService.methods.map(({ localName, input }) => {
    const call = calls[localName as keyof Calls] as AnyHandler;
    const checkedCall: AnyHandler = async (request, context) => {
      checkRequest(input, request);
      return (await call(request, context)) as Awaited<ReturnType<AnyHandler>>;
    };
    return [localName, checkedCall];
  });
  return Object.fromEntries(checked) as Calls;
}
