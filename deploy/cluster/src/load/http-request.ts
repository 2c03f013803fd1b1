import { type Agent, type IncomingMessage, request } from "node:http";

/** Where requests go. */
export interface Target {
  url: string;
  host?: string | undefined;
  key: string;
  agent: Agent;
}

export interface Body {
  type: string;
  bytes: Buffer;
}

/** The longest time that a request of a load can take. */
export const timeoutMs = 120_000;

/** Sends one POST. Resolves with the text of a 200. Throws for another status. */
export function postOnce(
  { url, host, key, agent }: Target,
  path: string,
  body: Body,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      {
        method: "POST",
        agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: { ...requestHeaders(key, host), "content-type": body.type },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", (error) => reject(cutOff(error, response, chunks)));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${response.statusCode} ${text.slice(0, 200)}`));
        });
      },
    );
    sent.on("error", reject).end(body.bytes);
  });
}

/** Returns the headers that every request has. */
export function requestHeaders(key: string, host: string | undefined): Record<string, string> {
  return { authorization: `Bearer ${key}`, ...(host === undefined ? {} : { host }) };
}

/** Returns the error of a response that ended early. */
function cutOff(error: Error, { statusCode, headers }: IncomingMessage, chunks: Buffer[]): Error {
  const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const id = headers["x-request-id"];
  return new Error(`${statusCode} ${id} was cut off after ${bytes} bytes: ${error.message}`);
}
