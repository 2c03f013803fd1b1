import { UsageError } from "../help.ts";
import type { Command } from "./command.ts";

/** `tollgate account end-users` */
export const setEndUsersCommand: Command = {
  takes: ["ACCOUNT"],
  options: ["keep"],
  async run([name = ""], { keep }, operator) {
    if (keep !== "plain" && keep !== "hashed") {
      throw new UsageError("account end-users needs --keep plain or --keep hashed");
    }
    const { account } = await operator().updateEndUsers({
      account: name,
      keepsEndUsers: keep === "plain",
    });
    const id = account?.id ?? "";
    const how = keep === "plain" ? "as clients name them" : "by a hash";
    return {
      lines: [`end users of account ${id} are stored ${how}`],
      json: { id, keeps_end_users: account?.keepsEndUsers ?? false },
    };
  },
};
