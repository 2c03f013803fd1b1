import type { KeyBounds } from "@tollgate/proto/tollgate/v1/operator";
import { keyLimitOptions, limitsOfOptions } from "../options/limit-options.ts";
import { readWholeNumber } from "../text/amounts.ts";
import { isoTime } from "../text/times.ts";
import type { Command } from "./command.ts";

const maxKeysOfMembers = 100_000;

/** `tollgate account freeze` and `tollgate account unfreeze` */
export function freezeAccountCommand(isFrozen: boolean): Command {
  return {
    takes: ["ACCOUNT"],
    options: [],
    async run([name = ""], _options, operator) {
      const { account } = await operator().updateAccount({ account: name, isFrozen });
      const id = account?.id ?? "";
      return {
        lines: [`account ${id} is ${isFrozen ? "frozen" : "not frozen"}`],
        json: { id, frozen_at: isoTime(account?.frozenAt) },
      };
    },
  };
}

/** `tollgate account close` */
export const closeAccountCommand: Command = {
  takes: ["ACCOUNT"],
  options: [],
  async run([name = ""], _options, operator) {
    const { account } = await operator().closeAccount({ account: name });
    const id = account?.id ?? "";
    return {
      lines: [`account ${id} is closed; its keys are revoked, the data of its people deleted`],
      json: { id, closed_at: isoTime(account?.closedAt) },
    };
  },
};

/** `tollgate account revoke-keys` */
export const revokeAccountKeysCommand: Command = {
  takes: ["ACCOUNT"],
  options: [],
  async run([account = ""], _options, operator) {
    const { revoked } = await operator().revokeAccountKeys({ account });
    return { lines: [`revoked ${revoked} keys`], json: { revoked } };
  },
};

/** `tollgate account bounds` */
export const setKeyBoundsCommand: Command = {
  takes: ["ACCOUNT"],
  options: ["max-keys", "models", ...keyLimitOptions],
  async run([name = ""], { "max-keys": keys, models = "", ...options }, operator) {
    const isLimited = keyLimitOptions.some((option) => options[option] !== undefined);
    const keyBounds = {
      ...(keys && { maxKeys: readWholeNumber(keys, "--max-keys", maxKeysOfMembers) }),
      ...(isLimited && { limits: limitsOfOptions(options) }),
      models: models.split(",").filter(Boolean),
    };
    const { account } = await operator().updateAccount({ account: name, keyBounds });
    const bounds = account?.keyBounds;
    return { lines: boundLines(bounds), json: { max_keys: bounds?.maxKeys ?? null } };
  },
};

function boundLines(bounds: KeyBounds | undefined): string[] {
  const { maxKeys, limits, models = [] } = bounds ?? {};
  const count = maxKeys === undefined ? "any number of keys" : `at most ${maxKeys} keys`;
  const limited = limits === undefined ? [] : ["with limits"];
  const named = models.length === 0 ? [] : [`for ${models.join(", ")}`];
  return [`members have ${[count, ...limited, ...named].join(" ")}`];
}
