import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { eventually } from "./eventually.ts";

export interface ReceivedMail {
  to: string;
  /** The headers and the text, as they were sent. */
  content: string;
}

/** An SMTP server that keeps what it receives. */
export interface SmtpServerUnderTest extends AsyncDisposable {
  url: string;
  received: readonly ReceivedMail[];
  /** Resolves with the secret of the newest link to an address, once there is one. */
  secretTo(address: string, path: string): Promise<string>;
}

export async function startSmtpServer(): Promise<SmtpServerUnderTest> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, { envelope }, done) {
      text(stream).then((content) => {
        for (const { address } of envelope.rcptTo) received.push({ to: address, content });
        done();
      }, done);
    },
  });
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    secretTo: (address, path) =>
      eventually(() => {
        const mail = received.findLast(
          ({ to, content }) => to === address && content.includes(path),
        );
        const [, secret] = new RegExp(`${path}#([\\w-]{43})`).exec(unfold(mail?.content)) ?? [];
        if (secret === undefined) throw new Error(`no mail to ${address} links to ${path}`);
        return secret;
      }),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Joins the lines that quoted-printable breaks. */
function unfold(content = ""): string {
  return content.replace(/=\r\n/g, "").replaceAll("=23", "#");
}
