import type { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { OperatorRole, type OperatorService } from "@tollgate/proto/tollgate/v1/operator";

/** Who may make a call. */
export interface Rule {
  /** The least role. */
  role: OperatorRole;
  /**
   * How a customer's call is confined to its own account: by the request's `account`, or by the
   * account of the key in the response. Set on every call that a customer may make.
   */
  confinedBy?: "account" | "key";
}

type Calls<Service extends { method: object }> = Readonly<Record<keyof Service["method"], Rule>>;

const { CUSTOMER, VIEWER, OPERATOR, OWNER } = OperatorRole;

/** The calls of OperatorService. */
export const operatorRules: Calls<typeof OperatorService> = {
  createAccount: { role: OPERATOR },
  updateAccount: { role: OPERATOR },
  listAccounts: { role: VIEWER },
  getAccount: { role: CUSTOMER, confinedBy: "account" },
  countAccountConversations: { role: CUSTOMER, confinedBy: "account" },
  createKey: { role: OPERATOR },
  updateKey: { role: OPERATOR },
  rotateKey: { role: OPERATOR },
  listKeys: { role: CUSTOMER, confinedBy: "account" },
  getKey: { role: CUSTOMER, confinedBy: "key" },
  revokeKey: { role: OPERATOR },
  readWallet: { role: CUSTOMER, confinedBy: "account" },
  topUpWallet: { role: OPERATOR },
  adjustWallet: { role: OPERATOR },
  listLedger: { role: CUSTOMER, confinedBy: "account" },
  readUsage: { role: CUSTOMER, confinedBy: "account" },
  // It reads every entry.
  verifyLedger: { role: OPERATOR },
  listHolds: { role: CUSTOMER, confinedBy: "account" },
  listRequests: { role: CUSTOMER, confinedBy: "account" },
  getRequest: { role: CUSTOMER, confinedBy: "account" },
  readOverview: { role: CUSTOMER, confinedBy: "account" },
  readRetention: { role: VIEWER },
  listModels: { role: VIEWER },
  checkCatalog: { role: OPERATOR },
  updateSlot: { role: OPERATOR },
  createOperator: { role: OWNER },
  updateOperator: { role: OWNER },
  listOperators: { role: VIEWER },
  createSignInLink: { role: OWNER },
  createOperatorToken: { role: OWNER },
  listOperatorTokens: { role: VIEWER },
  revokeOperatorToken: { role: OWNER },
  listAudit: { role: VIEWER },
};

/** The calls of ConsoleService that need somebody who is signed in. */
export const consoleRules = {
  setPassword: { role: CUSTOMER },
} satisfies Partial<Calls<typeof ConsoleService>>;
