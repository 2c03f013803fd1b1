import { randomUUID } from "node:crypto";
import { freePort } from "@tollgate/local/free-port";
import { type SmtpServerUnderTest, startSmtpServer } from "./smtp-server.ts";
import { type OwnStack, startStack } from "./stack.ts";

/** A gateway that sends mail, and the server that receives it. */
export interface MailStack {
  stack: OwnStack;
  smtp: SmtpServerUnderTest;
  /** The address of the console, to which mail links. */
  origin: string;
  stop(): Promise<void>;
}

/** Starts a gateway with these settings that sends mail. */
export async function startMailStack(env: NodeJS.ProcessEnv = {}): Promise<MailStack> {
  const smtp = await startSmtpServer();
  const listen = `127.0.0.1:${await freePort()}`;
  const origin = `http://${listen}`;
  const stack = await startStack({
    TOLLGATE_SMTP_URL: smtp.url,
    TOLLGATE_MAIL_FROM: "Tollgate <no-reply@tollgate.example>",
    TOLLGATE_IDENTITY_KEY: randomUUID().repeat(2),
    TOLLGATE_CONSOLE_LISTEN: listen,
    TOLLGATE_CONSOLE_URL: origin,
    ...env,
  });
  return {
    ...{ stack, smtp, origin },
    async stop() {
      await stack.stop();
      await smtp[Symbol.asyncDispose]();
    },
  };
}
