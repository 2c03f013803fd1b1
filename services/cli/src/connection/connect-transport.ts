import { type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { type ErrorCode, GatewayError, isErrorCode } from "@tollgate/core/errors";
import { ErrorDetailSchema } from "@tollgate/proto/tollgate/v1/error";
import type { Transport } from "@tollgate/rpc/client";

/** Longer than the console allows for a call. */
const defaultTimeoutMs = 65_000;

/** A response of the console that is no result: its message is for the user of the command. */
export class ServerError extends Error {
  override readonly name = "ServerError";
}

/** Calls the operator's API of the console at `server` with an operator token, by Connect. */
export function createConnectTransport(server: string, token: string): Transport {
  return {
    async unary(method, request, { timeoutMs = defaultTimeoutMs }) {
      const response = await post(server, token, method, request, timeoutMs);
      const body = new Uint8Array(await response.arrayBuffer());
      if (response.ok) return fromBinary(method.output, body);
      throw errorOf(server, response, Buffer.from(body).toString("utf8"));
    },
    serverStream(method) {
      throw new Error(`${method.name}: streams are not supported`);
    },
  };
}

async function post(
  server: string,
  token: string,
  method: DescMethod,
  request: Message,
  timeoutMs: number,
): Promise<Response> {
  const path = `${method.parent.typeName}/${method.name}`;
  try {
    return await fetch(new URL(path, `${server.replace(/\/+$/, "")}/`), {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/proto",
        "connect-protocol-version": "1",
      },
      body: new Uint8Array(toBinary(method.input, request)),
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error && cause.message !== "" ? cause.message : message;
    throw new ServerError(`no console responds at ${server}: ${reason}`);
  }
}

interface ConnectBody {
  message?: string;
  details?: readonly { type: string; value: string }[];
}

function errorOf(server: string, { status }: Response, text: string): Error {
  const body = parse(text);
  const detail = body?.details?.find(({ type }) => type === ErrorDetailSchema.typeName);
  if (detail !== undefined) {
    const { code, message, param } = fromBinary(ErrorDetailSchema, base64Decode(detail.value));
    const known: ErrorCode = isErrorCode(code) ? code : "internal_error";
    return new GatewayError(known, message, { param: param === "" ? undefined : param });
  }
  if (body?.message !== undefined) return new ServerError(body.message);
  return new ServerError(`${server} is no console: it responded with the status ${status}`);
}

function parse(text: string): ConnectBody | undefined {
  try {
    return JSON.parse(text) as ConnectBody;
  } catch {
    return undefined;
  }
}
