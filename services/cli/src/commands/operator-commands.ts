import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Operator as OperatorMessage,
  OperatorRole,
  type OperatorToken,
  type SignInLink,
} from "@tollgate/proto/tollgate/v1/operator";
import { consoleUrl } from "../connection/operator-address.ts";
import { UsageError } from "../help.ts";
import { type RowRules, rowChooser, wholeListOptions } from "../options/whole-list.ts";
import { cutText, formatTable, type TableColumn } from "../text/table.ts";
import { isoTime, readTime, shortTime } from "../text/times.ts";
import type { Command, OperatorClient, Output } from "./command.ts";

const maxNameWidth = 32;

/** `tollgate operator create` */
export const createOperatorCommand: Command = {
  takes: ["NAME"],
  options: ["role", "account"],
  async run([name = ""], { role, account = "" }, operator, server) {
    const request = { name, role: readRole(role), account };
    const created = await operator().createOperator(request);
    const { operator: made, link } = created;
    return linkOutput(
      [`operator ${made?.id ?? ""} (${name}), ${roleText(request.role)}`],
      made,
      link,
      server,
    );
  },
};

/** `tollgate operator list` */
export const listOperatorsCommand: Command = {
  takes: [],
  options: wholeListOptions,
  async run(_args, options, operator) {
    const choose = rowChooser(options, operatorRules);
    const operators = choose((await operator().listOperators({})).operators);
    return {
      lines: formatTable(operatorColumns, operators),
      json: { operators: operators.map(operatorJson) },
    };
  },
};

/** `tollgate operator disable` */
export const disableOperatorCommand: Command = {
  takes: ["OPERATOR"],
  options: [],
  async run([name = ""], _options, operator) {
    const client = operator();
    const operatorId = await operatorIdOf(client, name);
    const { operator: changed } = await client.updateOperator({ operatorId, isDisabled: true });
    return {
      lines: [`operator ${operatorId} is disabled; its sessions and tokens have ended`],
      json: changed === undefined ? null : operatorJson(changed),
    };
  },
};

/** `tollgate operator link` */
export const linkOperatorCommand: Command = {
  takes: [],
  mayTake: "OPERATOR",
  options: [],
  async run([name], _options, operator, server) {
    const client = operator();
    const operatorId = name === undefined ? "" : await operatorIdOf(client, name);
    const { operator: found, link } = await client.createSignInLink({ operatorId });
    return linkOutput([`a link for the operator ${found?.name ?? ""}:`], found, link, server);
  },
};

/** `tollgate operator remove-second-factor` */
export const removeSecondFactorCommand: Command = {
  takes: ["OPERATOR"],
  options: [],
  async run([name = ""], _options, operator) {
    const client = operator();
    // The members of accounts are not in the list of operators.
    const isId = name.startsWith("operator_");
    const operatorId = isId ? name : await operatorIdOf(client, name);
    await client.removeSecondFactor({ operatorId });
    return { lines: [`${operatorId} signs in without a code`], json: { id: operatorId } };
  },
};

/** `tollgate operator token create` */
export const createTokenCommand: Command = {
  takes: ["NAME"],
  options: ["role", "account", "expires"],
  async run([name = ""], { role, account = "", expires }, operator) {
    const { token, text } = await operator().createOperatorToken({
      ...{ name, role: readRole(role), account },
      ...(expires === undefined
        ? {}
        : { expiresAt: timestampFromDate(readTime(expires, "--expires", new Date())) }),
    });
    return {
      lines: [text, `token ${token?.id ?? ""}, ${roleText(token?.role)}; it is not shown again`],
      json: { id: token?.id, name, token: text, expires_at: isoTime(token?.expiresAt) },
    };
  },
};

/** `tollgate operator token list` */
export const listTokensCommand: Command = {
  takes: [],
  options: wholeListOptions,
  async run(_args, options, operator) {
    const choose = rowChooser(options, tokenRules);
    const tokens = choose((await operator().listOperatorTokens({})).tokens);
    const columns: readonly TableColumn<OperatorToken>[] = [
      { title: "ID", align: "left", cell: ({ id }) => id },
      { title: "NAME", align: "left", cell: ({ name }) => cutText(name, maxNameWidth) },
      { title: "ROLE", align: "left", cell: ({ role }) => roleText(role) },
      {
        title: "STATE",
        align: "left",
        cell: ({ revokedAt }) => (revokedAt === undefined ? "active" : "revoked"),
      },
      { title: "EXPIRES", align: "left", cell: ({ expiresAt }) => shortTime(expiresAt), rank: 1 },
      { title: "USED", align: "left", cell: ({ lastUsedAt }) => shortTime(lastUsedAt), rank: 2 },
      { title: "ACCOUNT", align: "left", cell: ({ accountId }) => accountId, rank: 0 },
    ];
    return {
      lines: formatTable(columns, tokens),
      json: {
        tokens: tokens.map(({ id, name, role, accountId, ...times }) => ({
          ...{ id, name, role: roleText(role), account_id: accountId },
          created_at: isoTime(times.createdAt),
          expires_at: isoTime(times.expiresAt),
          revoked_at: isoTime(times.revokedAt),
          last_used_at: isoTime(times.lastUsedAt),
        })),
      },
    };
  },
};

/** `tollgate operator token revoke` */
export const revokeTokenCommand: Command = {
  takes: ["TOKEN-ID"],
  options: [],
  async run([tokenId = ""], _options, operator) {
    const { revokedAt } = await operator().revokeOperatorToken({ tokenId });
    const at = isoTime(revokedAt);
    return { lines: [`token ${tokenId} revoked at ${at}`], json: { id: tokenId, revoked_at: at } };
  },
};

const operatorRules: RowRules<OperatorMessage> = {
  texts: ({ id, name, role, issuer, email }) => [id, name, roleText(role), issuer, email],
  orders: {
    name: { text: ({ name }) => name },
    newest: { latest: ({ createdAt }) => createdAt },
    "last-signed-in": { latest: ({ lastSignedInAt }) => lastSignedInAt },
  },
};

const tokenRules: RowRules<OperatorToken> = {
  texts: ({ id, name, role }) => [id, name, roleText(role)],
  orders: {
    newest: { latest: ({ createdAt }) => createdAt },
    name: { text: ({ name }) => name },
    "last-used": { latest: ({ lastUsedAt }) => lastUsedAt },
  },
};

const operatorColumns: readonly TableColumn<OperatorMessage>[] = [
  { title: "ID", align: "left", cell: ({ id }) => id },
  { title: "NAME", align: "left", cell: ({ name }) => cutText(name, maxNameWidth) },
  { title: "ROLE", align: "left", cell: ({ role }) => roleText(role) },
  {
    title: "STATE",
    align: "left",
    cell: ({ disabledAt }) => (disabledAt === undefined ? "active" : "disabled"),
  },
  {
    title: "SIGNED IN",
    align: "left",
    cell: ({ lastSignedInAt }) => shortTime(lastSignedInAt),
    rank: 2,
  },
  { title: "ISSUER", align: "left", cell: ({ issuer }) => issuer, rank: 0 },
  { title: "ACCOUNT", align: "left", cell: ({ accountId }) => accountId, rank: 1 },
];

function operatorJson({ id, name, role, accountId, issuer, ...rest }: OperatorMessage) {
  return {
    ...{ id, name, role: roleText(role), account_id: accountId, issuer },
    has_password: rest.hasPassword,
    has_second_factor: rest.hasSecondFactor,
    created_at: isoTime(rest.createdAt),
    disabled_at: isoTime(rest.disabledAt),
    last_signed_in_at: isoTime(rest.lastSignedInAt),
  };
}

function linkOutput(
  lines: string[],
  operator: OperatorMessage | undefined,
  link: SignInLink | undefined,
  server: string | undefined,
): Output {
  const base = (server || consoleUrl(process.env)).replace(/\/+$/, "");
  const address = `${base}/sign-in#${link?.secret ?? ""}`;
  return {
    lines: [...lines, address, `it works once, until ${shortTime(link?.expiresAt)}`],
    json: {
      id: operator?.id,
      name: operator?.name,
      link: address,
      expires_at: isoTime(link?.expiresAt),
    },
  };
}

/** Resolves with the id of an operator, who may be given by name. Throws a UsageError. */
async function operatorIdOf(operator: OperatorClient, idOrName: string): Promise<string> {
  const { operators } = await operator.listOperators({});
  const byId = operators.find(({ id }) => id === idOrName);
  const byName = operators.filter(({ name }) => name === idOrName.toLowerCase());
  if (byId !== undefined) return byId.id;
  if (byName.length > 1)
    throw new UsageError(`several operators are named ${idOrName}: use the id`);
  const [found] = byName;
  if (found === undefined) throw new UsageError(`no operator has the id or name ${idOrName}`);
  return found.id;
}

function readRole(text: string | undefined): OperatorRole {
  const found = text === undefined ? undefined : roles[text];
  if (found !== undefined) return found;
  throw new UsageError("--role must be customer, viewer, operator or owner");
}

function roleText(role: OperatorRole | undefined): string {
  return Object.entries(roles).find(([, value]) => value === role)?.[0] ?? "";
}

const roles: Readonly<Record<string, OperatorRole>> = {
  customer: OperatorRole.CUSTOMER,
  viewer: OperatorRole.VIEWER,
  operator: OperatorRole.OPERATOR,
  owner: OperatorRole.OWNER,
};
