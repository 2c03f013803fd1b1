import type { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { OperatorRole, type OperatorService } from "@tollgate/proto/tollgate/v1/operator";

/** Who may make a call. */
export interface Rule {
  /** The least role of an operator or a token. */
  role: OperatorRole;
  /**
   * The roles of members that may make it, too. Absent: none. `anybody`: everybody who is signed in, also
   * as a member of no account.
   */
  members?: readonly MemberRole[] | "anybody";
  /**
   * How the call of a customer or a member is confined to its account: by the request's `account`, or by
   * its `key_id`, which billing compares with the account and the keys of the actor. Set on every call that
   * a customer or a member may make.
   */
  confinedBy?: "account" | "key";
  /** Whether a person who must set up a second factor first may make it. */
  setsUpFactor?: true;
}

type Calls<Service extends { method: object }> = Readonly<Record<keyof Service["method"], Rule>>;

const { CUSTOMER, VIEWER, OPERATOR, OWNER } = OperatorRole;
const { ADMIN, DEVELOPER, BILLING } = MemberRole;

const everyMember = [ADMIN, DEVELOPER, BILLING];
const keyHolders = [ADMIN, DEVELOPER];
const payers = [ADMIN, BILLING];

/** The calls of OperatorService. */
export const operatorRules: Calls<typeof OperatorService> = {
  createAccount: { role: OPERATOR },
  updateAccount: { role: OPERATOR },
  closeAccount: { role: OPERATOR },
  listAccounts: { role: VIEWER },
  listAccountNames: { role: VIEWER },
  getAccount: { role: CUSTOMER, members: everyMember, confinedBy: "account" },
  updateContentDays: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  updateEndUsers: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  countAccountConversations: { role: CUSTOMER, members: everyMember, confinedBy: "account" },
  listSignUps: { role: VIEWER },
  approveSignUp: { role: OPERATOR },
  refuseSignUp: { role: OPERATOR },
  listMembers: { role: VIEWER, members: [ADMIN], confinedBy: "account" },
  updateMember: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  removeMember: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  // It has the other accounts of the person, too.
  exportMember: { role: OPERATOR },
  erasePerson: { role: OPERATOR },
  inviteMember: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  listInvitations: { role: VIEWER, members: [ADMIN], confinedBy: "account" },
  withdrawInvitation: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  createKey: { role: OPERATOR, members: keyHolders, confinedBy: "account" },
  updateKey: { role: OPERATOR, members: keyHolders, confinedBy: "key" },
  rotateKey: { role: OPERATOR, members: keyHolders, confinedBy: "key" },
  listKeys: { role: CUSTOMER, members: keyHolders, confinedBy: "account" },
  getKey: { role: CUSTOMER, members: keyHolders, confinedBy: "key" },
  revokeKey: { role: OPERATOR, members: keyHolders, confinedBy: "key" },
  revokeAccountKeys: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  readWallet: { role: CUSTOMER, members: everyMember, confinedBy: "account" },
  topUpWallet: { role: OPERATOR },
  adjustWallet: { role: OPERATOR },
  refundRequest: { role: OPERATOR },
  readMonth: { role: VIEWER },
  getPaymentSettings: { role: CUSTOMER, members: payers, confinedBy: "account" },
  createCheckout: { role: OPERATOR, members: payers, confinedBy: "account" },
  getAutoTopUp: { role: CUSTOMER, members: payers, confinedBy: "account" },
  updateAutoTopUp: { role: OPERATOR, members: payers, confinedBy: "account" },
  createCardSetup: { role: OPERATOR, members: payers, confinedBy: "account" },
  createPortalSession: { role: OPERATOR, members: payers, confinedBy: "account" },
  listStatements: { role: CUSTOMER, members: payers, confinedBy: "account" },
  getStatement: { role: CUSTOMER, members: payers, confinedBy: "account" },
  issueStatements: { role: OPERATOR },
  getBillingProfile: { role: CUSTOMER, members: payers, confinedBy: "account" },
  updateBillingProfile: { role: OPERATOR, members: payers, confinedBy: "account" },
  createCodes: { role: OPERATOR },
  listCodeBatches: { role: VIEWER },
  revokeCodes: { role: OPERATOR },
  redeemCode: { role: OPERATOR, members: payers, confinedBy: "account" },
  listPayments: { role: CUSTOMER, members: payers, confinedBy: "account" },
  verifyPayments: { role: OPERATOR },
  recordInvoiceCheck: { role: OPERATOR },
  getWarningSettings: { role: VIEWER, members: [ADMIN], confinedBy: "account" },
  updateWarningRules: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  createWarningChannel: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  removeWarningChannel: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  testWarningChannel: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  listWarnings: { role: CUSTOMER, members: everyMember, confinedBy: "account" },
  listLedger: { role: CUSTOMER, members: payers, confinedBy: "account" },
  readUsage: { role: CUSTOMER, members: everyMember, confinedBy: "account" },
  // It reads every entry.
  verifyLedger: { role: OPERATOR },
  listHolds: { role: CUSTOMER, members: everyMember, confinedBy: "account" },
  listRequests: { role: CUSTOMER, members: keyHolders, confinedBy: "account" },
  listRefusals: { role: CUSTOMER, members: keyHolders, confinedBy: "account" },
  getRequest: { role: CUSTOMER, members: keyHolders, confinedBy: "account" },
  viewRequestContent: { role: OPERATOR, members: [ADMIN], confinedBy: "account" },
  readOverview: { role: CUSTOMER, members: everyMember, confinedBy: "account" },
  readRetention: { role: VIEWER },
  listPrices: { role: CUSTOMER, members: everyMember, confinedBy: "account" },
  listModels: { role: VIEWER },
  checkCatalog: { role: OPERATOR },
  listCatalogRevisions: { role: VIEWER },
  getCatalogRevision: { role: VIEWER },
  getCatalogDiff: { role: VIEWER },
  // A catalog says to which address a provider's key is sent.
  publishCatalog: { role: OWNER },
  rollBackCatalog: { role: OWNER },
  getCatalogStatus: { role: VIEWER },
  updateSlot: { role: OPERATOR },
  testSlot: { role: OPERATOR },
  listProviderModels: { role: OPERATOR },
  setSecret: { role: OPERATOR },
  listSecrets: { role: VIEWER },
  removeSecret: { role: OPERATOR },
  rekeySecrets: { role: OPERATOR },
  createOperator: { role: OWNER },
  updateOperator: { role: OWNER },
  listOperators: { role: VIEWER },
  createSignInLink: { role: OWNER },
  removeSecondFactor: { role: OWNER },
  createOperatorToken: { role: OWNER },
  listOperatorTokens: { role: VIEWER },
  revokeOperatorToken: { role: OWNER },
  listAudit: { role: VIEWER },
};

/** The requests of the playground, which the account pays. */
export const playgroundRule: Rule = {
  role: OPERATOR,
  members: keyHolders,
  confinedBy: "account",
};

/** The calls of ConsoleService that need somebody who is signed in. */
export const consoleRules = {
  exportOwnData: { role: CUSTOMER, members: "anybody" },
  setPassword: { role: CUSTOMER, members: "anybody" },
  setUpSecondFactor: { role: CUSTOMER, members: "anybody", setsUpFactor: true },
  confirmSecondFactor: { role: CUSTOMER, members: "anybody", setsUpFactor: true },
  turnOffSecondFactor: { role: CUSTOMER, members: "anybody" },
  switchAccount: { role: CUSTOMER, members: "anybody" },
} satisfies Partial<Calls<typeof ConsoleService>>;
