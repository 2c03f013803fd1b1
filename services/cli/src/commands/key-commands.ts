import { hash } from "node:crypto";
import { text as readText } from "node:stream/consumers";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Key, KeyOrder } from "@tollgate/proto/tollgate/v1/operator";
import { UsageError } from "../help.ts";
import {
  keyLimitOptions,
  limitChangesOfOptions,
  limitsOfOptions,
} from "../options/limit-options.ts";
import { readSearchedPage, searchedOptions } from "../options/list-options.ts";
import { keyJson, keyLines, keyTableColumns, unmatchedLines } from "../text/key-lines.ts";
import { formatTable } from "../text/table.ts";
import { isoTime, readSeconds, readTime } from "../text/times.ts";
import type { Command, CommandOptions, Output } from "./command.ts";
import { listOutput } from "./list-output.ts";

const orders = {
  newest: KeyOrder.UNSPECIFIED,
  name: KeyOrder.NAME,
  "last-used": KeyOrder.LAST_USED,
} as const;

const policyOptions = ["name", "owner", "models", "expires", "tag", ...keyLimitOptions] as const;

/** `tollgate key create` */
export const createKeyCommand: Command = {
  takes: ["ACCOUNT"],
  options: ["channel", ...policyOptions],
  async run([account = ""], options, operator) {
    const { channel = "", name = "", owner = "", models = "", tag = [], expires } = options;
    const created = await operator().createKey({
      ...{ account, channel, name, owner, tags: tag },
      models: splitModels(models),
      limits: limitsOfOptions(options),
      ...(expires === undefined ? {} : { expiresAt: readExpiry(expires) }),
    });
    const { key, keyId, accountId, details } = created;
    return {
      lines: [
        key,
        `key ${keyId} of account ${accountId}; it is not shown again`,
        ...(details ? unmatchedLines(details) : []),
      ],
      json: { ...(details && keyJson(details)), id: keyId, key, account_id: accountId, channel },
    };
  },
};

/** `tollgate key list` */
export const listKeysCommand: Command = {
  takes: [],
  mayTake: "ACCOUNT",
  options: searchedOptions,
  async run([account = ""], { before = "", ...options }, operator) {
    const page = readSearchedPage(options, orders);
    const { keys, hasMore } = await operator().listKeys({
      ...{ account, beforeKeyId: before, ...page },
    });
    const columns = account === "" ? keyTableColumns : keyTableColumns.slice(0, -1);
    return listOutput("keys", {
      rows: keys,
      next: hasMore ? (keys.at(-1)?.id ?? "") : "",
      toLines: (rows) => formatTable(columns, rows),
      toJson: keyJson,
    });
  },
};

/** `tollgate key show` */
export const showKeyCommand: Command = {
  takes: ["KEY-ID"],
  options: [],
  async run([keyId = ""], _options, operator) {
    const { key } = await operator().getKey({ keyId });
    return describe(key);
  },
};

/** `tollgate key find -`: the text is read from standard input, and only its SHA-256 is sent. */
export const findKeyCommand: Command = {
  takes: ["-"],
  options: [],
  async run([source], _options, operator) {
    if (source !== "-") {
      throw new UsageError("key find reads the text of a key from standard input: key find -");
    }
    if (process.stdin.isTTY) process.stderr.write("The text of the key, then Enter and Ctrl-D:\n");
    const text = (await readText(process.stdin)).trim();
    const { key } = await operator().getKey({ keyHash: hash("sha256", text, "buffer") });
    return describe(key);
  },
};

/** `tollgate key update` */
export const updateKeyCommand: Command = {
  takes: ["KEY-ID"],
  options: policyOptions,
  async run([keyId = ""], options, operator) {
    const { name, owner, models, tag, expires } = options;
    const limits = limitChangesOfOptions(options);
    const changes = {
      ...(name === undefined ? {} : { name: name === none ? "" : name }),
      ...(owner === undefined ? {} : { owner: owner === none ? "" : owner }),
      ...(tag === undefined ? {} : { tags: { values: tag.filter((one) => one !== none) } }),
      ...(models === undefined
        ? {}
        : { models: { values: models === "all" ? [] : splitModels(models) } }),
      ...changedExpiry(expires),
      ...(limits === undefined ? {} : { limits }),
    };
    if (Object.keys(changes).length === 0) {
      throw new UsageError(`key update needs one of --${policyOptions.join(", --")}`);
    }
    const { key } = await operator().updateKey({ keyId, ...changes });
    return describe(key);
  },
};

/** `tollgate key rotate` */
export const rotateKeyCommand: Command = {
  takes: ["KEY-ID"],
  options: ["grace"],
  async run([keyId = ""], { grace = "24h" }, operator) {
    const graceSeconds = readSeconds(grace, "--grace");
    const { key, details } = await operator().rotateKey({ keyId, graceSeconds });
    const replaced =
      graceSeconds === 0 ? "no longer works" : `works until ${isoTime(details?.replacedExpiresAt)}`;
    return {
      lines: [key, `key ${keyId}; it is not shown again, and the text before it ${replaced}`],
      json: { ...(details && keyJson(details)), key },
    };
  },
};

/** `tollgate key revoke` */
export const revokeKeyCommand: Command = {
  takes: ["KEY-ID"],
  options: [],
  async run([keyId = ""], _options, operator) {
    const { revokedAt } = await operator().revokeKey({ keyId });
    const at = isoTime(revokedAt) ?? "";
    return { lines: [`${keyId} revoked at ${at}`], json: { id: keyId, revoked_at: at } };
  },
};

/** The word that removes a name, an owner or the tags. */
const none = "none";

function describe(key: Key | undefined): Output {
  if (key === undefined) throw new Error("the response has no key");
  return { lines: keyLines(key), json: keyJson(key) };
}

function splitModels(text: string): string[] {
  return text.split(",").filter((one) => one !== "");
}

function readExpiry(text: string) {
  return timestampFromDate(readTime(text, "--expires", new Date()));
}

function changedExpiry(expires: CommandOptions["expires"]) {
  if (expires === undefined) return {};
  return expires === "never" ? { clearsExpiry: true } : { expiresAt: readExpiry(expires) };
}
