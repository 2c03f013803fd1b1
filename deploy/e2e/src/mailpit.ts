import { spawn } from "node:child_process";
import { freePort } from "@tollgate/local/free-port";
import { eventually } from "./eventually.ts";
import { findGoProgram } from "./go-program.ts";

/** A mail as Mailpit has parsed it. */
export interface ParsedMail {
  ID: string;
  MessageID: string;
  From: { Name: string; Address: string };
  To: { Name: string; Address: string }[];
  Subject: string;
  Text: string;
  HTML: string;
}

/** Mailpit: an SMTP server that parses what it receives, and returns it by HTTP. */
export interface Mailpit {
  smtpUrl: string;
  /** Resolves with the newest mail to an address whose text has a pattern, once there is one. */
  mailTo(address: string, pattern: RegExp): Promise<ParsedMail>;
  /** Resolves with the headers of a mail, by name. */
  headersOf(mail: ParsedMail): Promise<Record<string, string[]>>;
  stop(): void;
}

/** Resolves with the program of Mailpit; undefined where Go cannot build it. */
export function findMailpit(): Promise<string | undefined> {
  return findGoProgram("mailpit", { module: "github.com/axllent/mailpit", version: "v1.33.1" });
}

/** Starts Mailpit. Resolves when it responds. */
export async function startMailpit(program: string): Promise<Mailpit> {
  const [smtp, http] = [await freePort(), await freePort()];
  const listen = ["--smtp", `127.0.0.1:${smtp}`, "--listen", `127.0.0.1:${http}`];
  const child = spawn(program, [...listen, "--disable-version-check"], { stdio: "ignore" });
  const api = `http://127.0.0.1:${http}/api/v1`;

  async function read<Body>(path: string): Promise<Body> {
    const response = await fetch(`${api}${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  }

  await eventually(() => read("/info"), { timeout: 60_000 });
  return {
    smtpUrl: `smtp://127.0.0.1:${smtp}`,
    mailTo: (address, pattern) =>
      eventually(async () => {
        const query = encodeURIComponent(`to:${address}`);
        const { messages } = await read<{ messages: { ID: string }[] }>(`/search?query=${query}`);
        for (const { ID } of messages) {
          const mail = await read<ParsedMail>(`/message/${ID}`);
          if (pattern.test(mail.Text)) return mail;
        }
        throw new Error(`no mail to ${address} has ${pattern}`);
      }),
    headersOf: ({ ID }) => read(`/message/${ID}/headers`),
    stop: () => void child.kill(),
  };
}
