import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { freePort } from "@tollgate/local/free-port";
import type { IssuedCredentials } from "@tollgate/simulator/identity/issued-credentials";
import { eventually } from "./eventually.ts";
import { findPythonPackage } from "./python-package.ts";

/**
 * moto, which implements AWS's token service with its policies. Its credentials are valid for at least 15 minutes:
 * a server in front of it replaces their expiry by an earlier one.
 */
export interface Moto {
  /** The address of the token service. */
  url: string;
  /** The actions that it has granted, in order. */
  granted: readonly string[];
  /** The web identities that it was sent. */
  webIdentities: readonly string[];
  /** Calls an action of IAM as the owner of the account. Resolves with the response. */
  administer(action: string, members: Record<string, string>): Promise<string>;
  /** Makes it check signatures and policies from now on. */
  requireAuthorization(): Promise<void>;
  stop(): Promise<void>;
}

/** Resolves with the folder of moto; undefined where Python cannot install it. */
export function findMoto(): Promise<string | undefined> {
  return findPythonPackage({ name: "moto", version: "5.2.5", extra: "server" });
}

/**
 * Starts moto, whose credentials are valid as long as those of `issued`, which the providers of its simulator then
 * take. The server in front fails as `issued.fault` says.
 */
export async function startMoto(folder: string, issued: IssuedCredentials): Promise<Moto> {
  const port = await freePort();
  const args = ["-c", "from moto.server import main; main()", "-p", String(port)];
  const env = { ...process.env, PYTHONPATH: folder };
  const child = spawn("python3", args, { stdio: "ignore", env });
  const exited = once(child, "exit");
  const moto = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(`${moto}/moto-api/data.json`), { timeout: 60_000 });
  const granted: string[] = [];
  const webIdentities: string[] = [];
  const front = createServer(async (message, response) => {
    const form = await readText(message);
    if (issued.fault === "unavailable") return void response.writeHead(503).end();
    const answer = await forward(message, form, port);
    const members = new URLSearchParams(form);
    if (answer.status === 200) granted.push(members.get("Action") ?? "");
    const identity = members.get("WebIdentityToken");
    if (identity !== null) webIdentities.push(identity);
    respond(response, { ...answer, text: shorten(answer.text, issued) });
  }).listen(0, "127.0.0.1");
  await once(front, "listening");
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    granted,
    webIdentities,
    async administer(Action, members) {
      const body = new URLSearchParams({ Action, Version: "2010-05-08", ...members });
      const scope = "owner/20260101/us-east-1/iam/aws4_request";
      const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
      const response = await fetch(moto, { method: "POST", body, headers: { authorization } });
      const text = await response.text();
      if (!response.ok) throw new Error(`moto refuses ${Action}: ${text}`);
      return text;
    },
    async requireAuthorization() {
      await fetch(`${moto}/moto-api/reset-auth`, { method: "POST", body: "0" });
    },
    async stop() {
      front.close();
      front.closeAllConnections();
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Returns the text of an element of XML. */
export function elementOf(text: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? "";
}

interface Answer {
  status: number;
  type: string;
  text: string;
}

/** Sends a request to moto as it came: its headers are signed. */
async function forward(message: IncomingMessage, form: string, port: number): Promise<Answer> {
  const { method, url: path, headers } = message;
  const forwarded = request({ host: "127.0.0.1", port, method, path, headers });
  const answered = once(forwarded, "response") as Promise<[IncomingMessage]>;
  forwarded.end(form);
  const [answer] = await answered;
  const { statusCode: status = 0, headers: answerHeaders } = answer;
  return { status, type: answerHeaders["content-type"] ?? "", text: await readText(answer) };
}

/** Registers the credentials of a response, and gives them the life of those that are issued. */
function shorten(text: string, issued: IssuedCredentials): string {
  const accessKeyId = elementOf(text, "AccessKeyId");
  if (accessKeyId === "") return text;
  const expiresAtMs = issued.addKey({
    accessKeyId,
    secretAccessKey: elementOf(text, "SecretAccessKey"),
    sessionToken: elementOf(text, "SessionToken"),
  });
  const expiration = `<Expiration>${new Date(expiresAtMs).toISOString()}</Expiration>`;
  return text.replace(/<Expiration>[^<]*<\/Expiration>/, expiration);
}

function respond(response: ServerResponse, { status, type, text }: Answer): void {
  response.writeHead(status, { "content-type": type });
  response.end(text);
}

async function readText(message: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of message) text += chunk;
  return text;
}
