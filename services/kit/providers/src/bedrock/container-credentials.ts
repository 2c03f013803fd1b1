import { readFile } from "node:fs/promises";
import { IdentityFailure } from "@tollgate/catalog/identity";
import type { Environment } from "@tollgate/core/config";
import { jsonObjectOf } from "@tollgate/core/json";
import { hideKeys } from "@tollgate/upstream/redaction";
import { requestToken } from "../token-request.ts";

/** Where a server of ECS is, whose path alone is in the environment. */
const ecsOrigin = "http://169.254.170.2";
/** Those of ECS and EKS, and this machine. To no other host is a token sent without TLS. */
const plainHosts = /^(169\.254\.170\.23?|\[fd00:ec2::23\]|localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const requestMs = 3_000;
const maxMessageCharacters = 300;

export interface ContainerCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  expiration: Date;
}

/** Returns the address of the container's credential server; undefined where the process has none. */
export function containerAddress(env: Environment): string | undefined {
  const path = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  return path ? `${ecsOrigin}${path}` : env.AWS_CONTAINER_CREDENTIALS_FULL_URI || undefined;
}

/**
 * Reads the credentials of a container's server, as EKS Pod Identity and ECS have it, never by a proxy. Rejects with
 * an IdentityFailure, which has the words of a refusal and none of another response.
 */
export async function readContainerCredentials(
  address: string,
  env: Environment,
): Promise<ContainerCredentials> {
  const url = URL.parse(address);
  if (url === null || !(url.protocol === "https:" || plainHosts.test(url.hostname))) {
    throw failure("has an address without TLS that is not of AWS or this machine", true);
  }
  const token = await readToken(env);
  const headers = token === undefined ? {} : { authorization: token };
  const { status, text } = await requestToken(url, { headers, requestMs }).catch((error) => {
    const { code, name } = error as NodeJS.ErrnoException;
    throw failure(`sends no response (${code ?? name})`, false);
  });
  if (status !== 200) throw refusalOf(status, text);
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = jsonObjectOf(text) ?? {};
  const members = [AccessKeyId, SecretAccessKey, Token, Expiration];
  const expiration = new Date(String(Expiration));
  if (!members.every(isText) || Number.isNaN(expiration.getTime())) {
    throw failure("sends no credentials", false);
  }
  const [accessKeyId = "", secretAccessKey = "", sessionToken = ""] = members as string[];
  return { accessKeyId, secretAccessKey, sessionToken, expiration };
}

/** Reads what authorizes the process to its server. The file is replaced from time to time. */
async function readToken(env: Environment): Promise<string | undefined> {
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  if (!file) return env.AWS_CONTAINER_AUTHORIZATION_TOKEN || undefined;
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw failure(
      `needs the file that AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names (${code})`,
      true,
    );
  }
}

/** A 4xx refuses the identity, except for those that say to try again. */
function refusalOf(status: number, text: string): IdentityFailure {
  const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429;
  const { Code, Message } = jsonObjectOf(text) ?? {};
  const words = isRefused ? [Code, Message].filter(isText) : [];
  return failure([`responds with the status ${status}`, ...words].join(": "), isRefused);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function failure(what: string, isRefused: boolean): IdentityFailure {
  const words = hideKeys(`AWS: the container's credential server ${what}`);
  return new IdentityFailure(words.slice(0, maxMessageCharacters), isRefused);
}
