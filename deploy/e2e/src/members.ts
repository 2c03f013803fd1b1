import { randomUUID } from "node:crypto";
import type { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { type ConsoleClient, connectConsole } from "./console-client.ts";
import type { Stack } from "./stack.ts";

export interface TestMember extends ConsoleClient {
  email: string;
  personId: string;
}

/** The password of each person whom `joinAs` creates. */
export const memberPassword = "correct horse battery";

/** Invites a new person to an account, and accepts the invitation as that person. */
export async function joinAs(
  stack: Pick<Stack, "consoleUrl" | "operator">,
  account: string,
  role: MemberRole,
  email = `${randomUUID()}@example.com`,
): Promise<TestMember> {
  const { secret } = await stack.operator.inviteMember({ account, email, role });
  const client = connectConsole(stack.consoleUrl);
  const password = memberPassword;
  const { operator } = await client.console.joinAccount({ secret, name: email, password });
  return { ...client, email, personId: operator?.id ?? "" };
}
