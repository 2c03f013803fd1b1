import type { WaitingSignUp } from "@tollgate/proto/tollgate/v1/member";
import { isoTime } from "../text/times.ts";
import type { Command } from "./command.ts";

/** `tollgate sign-up list` */
export const listSignUpsCommand: Command = {
  takes: [],
  options: [],
  async run(_args, _options, operator) {
    const { signUps } = await operator().listSignUps({});
    return {
      lines: signUps.length === 0 ? ["none"] : signUps.map(signUpLine),
      json: { sign_ups: signUps.map(signUpJson) },
    };
  },
};

/** `tollgate sign-up approve` */
export const approveSignUpCommand: Command = {
  takes: ["SIGN-UP-ID"],
  options: [],
  async run([signUpId = ""], _options, operator) {
    const { account } = await operator().approveSignUp({ signUpId });
    const { id = "", name = "" } = account ?? {};
    return { lines: [`account ${id} (${name})`], json: { account_id: id, account_name: name } };
  },
};

/** `tollgate sign-up refuse` */
export const refuseSignUpCommand: Command = {
  takes: ["SIGN-UP-ID"],
  options: [],
  async run([signUpId = ""], _options, operator) {
    await operator().refuseSignUp({ signUpId });
    return { lines: [`refused ${signUpId}`], json: { id: signUpId } };
  },
};

function signUpLine({ id, email, accountName, createdAt }: WaitingSignUp): string {
  return `${isoTime(createdAt)} ${id} ${email} ${accountName}`;
}

function signUpJson({ id, email, accountName, createdAt }: WaitingSignUp) {
  return { id, email, account_name: accountName, created_at: isoTime(createdAt) };
}
