import { loadListPrices } from "@tollgate/list-prices/list-prices";
import { checkCatalog } from "./catalog/check-catalog.ts";
import { suggestModels } from "./catalog/suggestion.ts";
import { switchesOfVendor, switchLines } from "./catalog/vendor-switches.ts";
import {
  createAccountCommand,
  listAccountsCommand,
  setAccountPlanCommand,
  showAccountCommand,
  updateAccountCommand,
} from "./commands/account-commands.ts";
import {
  closeAccountCommand,
  freezeAccountCommand,
  revokeAccountKeysCommand,
  setKeyBoundsCommand,
} from "./commands/account-end-commands.ts";
import { listAuditCommand } from "./commands/audit-commands.ts";
import {
  endAutoTopUpCommand,
  openPortalCommand,
  setAutoTopUpCommand,
  setUpCardCommand,
  showAutoTopUpCommand,
} from "./commands/auto-top-up-commands.ts";
import {
  catalogStatusCommand,
  diffCatalogCommand,
  exportCatalogCommand,
  importCatalogCommand,
  listRevisionsCommand,
  publishCatalogCommand,
  rollBackCatalogCommand,
  showRevisionCommand,
} from "./commands/catalog-commands.ts";
import {
  createCodesCommand,
  listCodesCommand,
  redeemCodeCommand,
  revokeCodesCommand,
} from "./commands/code-commands.ts";
import type { Command } from "./commands/command.ts";
import { setContentDaysCommand, showContentCommand } from "./commands/content-commands.ts";
import { setEndUsersCommand } from "./commands/end-user-commands.ts";
import { importLiteLlmCommand, importNewApiCommand } from "./commands/import-commands.ts";
import { checkInvoiceCommand } from "./commands/invoice-commands.ts";
import {
  createKeyCommand,
  findKeyCommand,
  listKeysCommand,
  revokeKeyCommand,
  rotateKeyCommand,
  showKeyCommand,
  updateKeyCommand,
} from "./commands/key-commands.ts";
import {
  listLedgerCommand,
  readMonthCommand,
  verifyLedgerCommand,
} from "./commands/ledger-commands.ts";
import {
  eraseMemberCommand,
  exportMemberCommand,
  inviteMemberCommand,
  listMembersCommand,
  removeMemberCommand,
  updateMemberCommand,
} from "./commands/member-commands.ts";
import { listModelsCommand, updateSlotCommand } from "./commands/model-commands.ts";
import {
  createOperatorCommand,
  createTokenCommand,
  disableOperatorCommand,
  linkOperatorCommand,
  listOperatorsCommand,
  listTokensCommand,
  removeSecondFactorCommand,
  revokeTokenCommand,
} from "./commands/operator-commands.ts";
import {
  createCheckoutCommand,
  listPaymentsCommand,
  verifyPaymentsCommand,
} from "./commands/payment-commands.ts";
import { listProviderModelsCommand, testSlotCommand } from "./commands/provider-commands.ts";
import { listRefusalsCommand } from "./commands/refusal-commands.ts";
import {
  listHoldsCommand,
  listRequestsCommand,
  refundRequestCommand,
  showRequestCommand,
} from "./commands/request-commands.ts";
import {
  listSecretsCommand,
  rekeySecretsCommand,
  removeSecretCommand,
  setSecretCommand,
} from "./commands/secret-commands.ts";
import {
  approveSignUpCommand,
  listSignUpsCommand,
  refuseSignUpCommand,
} from "./commands/sign-up-commands.ts";
import {
  issueStatementsCommand,
  listStatementsCommand,
  showStatementCommand,
  writeStatementCommand,
} from "./commands/statement-commands.ts";
import { usageCommand } from "./commands/usage-command.ts";
import {
  adjustWalletCommand,
  showWalletCommand,
  topUpWalletCommand,
} from "./commands/wallet-commands.ts";
import {
  addWarningChannelCommand,
  listWarningChannelsCommand,
  listWarningsCommand,
  removeWarningChannelCommand,
  setWarningsCommand,
  testWarningChannelCommand,
} from "./commands/warning-commands.ts";

/** The commands, by their words. */
export const commands: Readonly<Record<string, Command>> = {
  "account create": createAccountCommand,
  "account list": listAccountsCommand,
  "account show": showAccountCommand,
  "account update": updateAccountCommand,
  "account plan": setAccountPlanCommand,
  "account bounds": setKeyBoundsCommand,
  "account freeze": freezeAccountCommand(true),
  "account unfreeze": freezeAccountCommand(false),
  "account content": setContentDaysCommand,
  "account end-users": setEndUsersCommand,
  "account revoke-keys": revokeAccountKeysCommand,
  "account close": closeAccountCommand,
  "member list": listMembersCommand,
  "member export": exportMemberCommand,
  "member erase": eraseMemberCommand,
  "member invite": inviteMemberCommand,
  "member update": updateMemberCommand,
  "member remove": removeMemberCommand,
  "sign-up list": listSignUpsCommand,
  "sign-up approve": approveSignUpCommand,
  "sign-up refuse": refuseSignUpCommand,
  "key create": createKeyCommand,
  "key list": listKeysCommand,
  "key show": showKeyCommand,
  "key find": findKeyCommand,
  "key update": updateKeyCommand,
  "key rotate": rotateKeyCommand,
  "key revoke": revokeKeyCommand,
  "wallet show": showWalletCommand,
  "wallet top-up": topUpWalletCommand,
  "wallet adjust": adjustWalletCommand,
  "request list": listRequestsCommand,
  "request content": showContentCommand,
  "request refund": refundRequestCommand,
  request: showRequestCommand,
  "refusal list": listRefusalsCommand,
  "hold list": listHoldsCommand,
  "code create": createCodesCommand,
  "code list": listCodesCommand,
  "code revoke": revokeCodesCommand,
  "code redeem": redeemCodeCommand,
  "payments checkout": createCheckoutCommand,
  "payments card": setUpCardCommand,
  "payments portal": openPortalCommand,
  "payments auto show": showAutoTopUpCommand,
  "payments auto set": setAutoTopUpCommand,
  "payments auto off": endAutoTopUpCommand,
  "payments list": listPaymentsCommand,
  "payments verify": verifyPaymentsCommand,
  "statement list": listStatementsCommand,
  "statement show": showStatementCommand,
  "statement pdf": writeStatementCommand,
  "statement issue": issueStatementsCommand,
  "warning list": listWarningsCommand,
  "warning set": setWarningsCommand,
  "warning channel add": addWarningChannelCommand,
  "warning channel list": listWarningChannelsCommand,
  "warning channel test": testWarningChannelCommand,
  "warning channel remove": removeWarningChannelCommand,
  usage: usageCommand,
  "model list": listModelsCommand,
  "slot disable": updateSlotCommand("disable"),
  "slot enable": updateSlotCommand("enable"),
  "provider test": testSlotCommand,
  "provider models": listProviderModelsCommand,
  "secret set": setSecretCommand,
  "secret list": listSecretsCommand,
  "secret remove": removeSecretCommand,
  "secret rekey": rekeySecretsCommand,
  "invoice check": checkInvoiceCommand,
  "ledger list": listLedgerCommand,
  "ledger month": readMonthCommand,
  "ledger verify": verifyLedgerCommand,
  "operator create": createOperatorCommand,
  "operator list": listOperatorsCommand,
  "operator disable": disableOperatorCommand,
  "operator link": linkOperatorCommand,
  "operator remove-second-factor": removeSecondFactorCommand,
  "operator token create": createTokenCommand,
  "operator token list": listTokensCommand,
  "operator token revoke": revokeTokenCommand,
  "audit list": listAuditCommand,
  "import litellm": importLiteLlmCommand,
  "import new-api": importNewApiCommand,
  "catalog check": {
    takes: ["FILE"],
    options: ["environment"],
    run: ([file = ""], { environment }) =>
      checkCatalog(file, environment === true ? process.env : undefined),
  },
  "catalog import": importCatalogCommand,
  "catalog export": exportCatalogCommand,
  "catalog publish": publishCatalogCommand,
  "catalog rollback": rollBackCatalogCommand,
  "catalog list": listRevisionsCommand,
  "catalog show": showRevisionCommand,
  "catalog diff": diffCatalogCommand,
  "catalog status": catalogStatusCommand,
  "catalog suggest": {
    takes: ["PROVIDER/MODEL"],
    repeatsLast: true,
    options: [],
    async run(names) {
      const vendors = names.flatMap((name) => switchesOfVendor(name) ?? []);
      const ofModels = names.filter((name) => switchesOfVendor(name) === undefined);
      const models = suggestModels(ofModels, await loadListPrices(new Date()));
      return {
        lines: [...models.flatMap(({ lines }) => lines), ...vendors.flatMap(switchLines)],
        json: { models: models.map(({ entry }) => entry), vendors },
      };
    },
  },
};
