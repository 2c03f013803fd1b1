import { useQuery } from "@connectrpc/connect-query";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";

/** What the signed-in user may do on the page. The console checks it again at each call. */
export interface Access {
  isCustomer: boolean;
  /** Whether it is a member of no account. */
  hasNoAccount: boolean;
  /** Whether it changes accounts, keys and wallets. */
  canChange: boolean;
  /** Whether it sees keys and requests, and whether it creates and changes keys. */
  canSeeKeys: boolean;
  canChangeKeys: boolean;
  /** Whether it may use the playground, where there is one. */
  canPlay: boolean;
  canManageMembers: boolean;
  /** Whether it sees the ledger of its account, or as an operator that of each. */
  canSeeLedger: boolean;
  /** Whether it sees payments, and tops up. */
  canPay: boolean;
  canSeeWarningRules: boolean;
  /** Whether it reads stored prompts and responses, and decides whether they are stored. */
  canSeeContent: boolean;
  /** Whether it manages operators and their tokens. */
  canManage: boolean;
}

/** Reads who is signed in, and how one can sign in. */
export function useSession() {
  return useQuery(ConsoleService.method.getSession, {}, { staleTime: 60_000 });
}

/** Returns what the signed-in user may do. Nothing while that is not known. */
export function useAccess(): Access {
  const session = useSession().data;
  const { operator, accountId = "", memberRole = MemberRole.UNSPECIFIED } = session ?? {};
  const { hasPlayground = false } = session ?? {};
  const role = operator?.role ?? OperatorRole.UNSPECIFIED;
  const isCustomer = role === OperatorRole.CUSTOMER;
  const canChange = role >= OperatorRole.OPERATOR;
  const hasKeys = memberRole === MemberRole.ADMIN || memberRole === MemberRole.DEVELOPER;
  return {
    isCustomer,
    hasNoAccount: isCustomer && operator?.accountId === "" && accountId === "",
    canChange,
    canSeeKeys: memberRole !== MemberRole.BILLING,
    canChangeKeys: canChange || hasKeys,
    canPlay: hasPlayground && (canChange || hasKeys),
    canManageMembers: canChange || memberRole === MemberRole.ADMIN,
    canSeeContent: canChange || memberRole === MemberRole.ADMIN,
    canSeeLedger: memberRole !== MemberRole.DEVELOPER,
    canPay: canChange || memberRole === MemberRole.ADMIN || memberRole === MemberRole.BILLING,
    canSeeWarningRules: !isCustomer || memberRole === MemberRole.ADMIN,
    canManage: role === OperatorRole.OWNER,
  };
}
