import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { hashOfSecret, newSecret } from "@tollgate/core/secrets";
import type {
  AuthenticateRequest,
  BeginSessionRequestSchema,
  Identity,
  IdentityService,
} from "@tollgate/proto/tollgate/v1/identity";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";
import type { Cookie } from "./cookies.ts";

/**
 * How long a browser stores the cookie after the page was opened. Billing ends a session 12 hours after
 * its last call, which does not set the cookie again.
 */
const cookieSeconds = 30 * 24 * 60 * 60;

export type SignInMethod = NonNullable<
  MessageInitShape<typeof BeginSessionRequestSchema>["method"]
>;

/** Finds out who makes a request, by the session in its cookie or by its operator token. */
export interface SignedInSessions {
  /**
   * Resolves with the operator or member who makes a request; undefined without a session, or while the session
   * waits for a code.
   */
  find(headers: Headers): Promise<Identity | undefined>;
  /** Does the same. Throws a ConnectError with the code `unauthenticated` for nobody. */
  require(headers: Headers): Promise<Identity>;
  /**
   * Begins a session. Resolves with the cookie to set, without an identity where a code is needed; undefined
   * where the sign-in is refused.
   */
  begin(
    method: SignInMethod,
    address: string,
  ): Promise<{ identity: Identity | undefined; setCookie: string } | undefined>;
  /** Completes a sign-in by a code. Resolves with the same; undefined for a code that is refused. */
  complete(
    headers: Headers,
    code: string,
    address: string,
  ): Promise<{ identity: Identity; setCookie: string } | undefined>;
  /**
   * Begins a session by a call that takes the hash of its secret, and resolves with who has it; undefined
   * for nobody.
   */
  beginBy(
    call: (sessionHash: Uint8Array<ArrayBuffer>) => Promise<Identity | undefined>,
  ): Promise<{ identity: Identity; setCookie: string } | undefined>;
  /** Ends the session of a request. Resolves with the cookie to set. */
  end(headers: Headers): Promise<string>;
  /** Returns the cookie to set so that the browser keeps the session of a request. */
  extend(headers: Headers): string | undefined;
  /** Returns the hash of the session of a request. Throws a ConnectError where it has none. */
  hash(headers: Headers): Uint8Array<ArrayBuffer>;
}

type Credential = AuthenticateRequest["credential"];

/** Creates the sessions of a listener. With `customersOnly`, the sessions and tokens of operators are refused. */
export function createSignedInSessions(
  identities: Client<typeof IdentityService>,
  cookie: Cookie,
  customersOnly = false,
): SignedInSessions {
  /** Returns who is admitted here; undefined for others. */
  function admitted(identity: Identity | undefined): Identity | undefined {
    return customersOnly && identity?.role !== OperatorRole.CUSTOMER ? undefined : identity;
  }

  async function find(headers: Headers): Promise<Identity | undefined> {
    const credential = credentialOf(headers, cookie);
    if (credential.case === undefined) return undefined;
    return admitted((await identities.authenticate({ credential })).identity);
  }

  async function beginBy(call: Parameters<SignedInSessions["beginBy"]>[0]) {
    const secret = newSecret();
    const identity = await call(hashOfSecret(secret));
    if (identity === undefined) return undefined;
    return { identity, setCookie: cookie.write(secret, cookieSeconds) };
  }

  return {
    find,
    async require(headers) {
      const identity = await find(headers);
      if (identity !== undefined) return identity;
      throw unauthenticated();
    },
    async begin(method, address) {
      const secret = newSecret();
      const request = { sessionHash: hashOfSecret(secret), address, method, customersOnly };
      const { identity, needsCode } = await identities.beginSession(request);
      if (identity === undefined && !needsCode) return undefined;
      return { identity, setCookie: cookie.write(secret, cookieSeconds) };
    },
    async complete(headers, code, address) {
      const secret = cookie.read(headers);
      if (secret === undefined) return undefined;
      const request = { sessionHash: hashOfSecret(secret), address, code };
      const identity = admitted((await identities.completeSession(request)).identity);
      return identity && { identity, setCookie: cookie.write(secret, cookieSeconds) };
    },
    beginBy,
    async end(headers) {
      const secret = cookie.read(headers);
      if (secret !== undefined) await identities.endSession({ sessionHash: hashOfSecret(secret) });
      return cookie.clear();
    },
    extend(headers) {
      const secret = cookie.read(headers);
      return secret === undefined ? undefined : cookie.write(secret, cookieSeconds);
    },
    hash(headers) {
      const secret = cookie.read(headers);
      if (secret === undefined) throw unauthenticated();
      return hashOfSecret(secret);
    },
  };
}

function unauthenticated(): ConnectError {
  const message = "Sign in, or send a valid operator token in the header Authorization.";
  return new ConnectError(message, Code.Unauthenticated);
}

/** A token takes precedence: a program that sends one has no use for a cookie. */
function credentialOf(headers: Headers, cookie: Cookie): Credential {
  const authorization = headers.get("authorization");
  if (authorization !== null) {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    return { case: "tokenHash", value: hashOfSecret(token ?? "") };
  }
  const secret = cookie.read(headers);
  if (secret === undefined) return { case: undefined };
  return { case: "sessionHash", value: hashOfSecret(secret) };
}
