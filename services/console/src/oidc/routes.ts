import type { Log } from "@tollgate/core/log";
import { withoutMapping } from "@tollgate/http/mapped-address";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import { type Request, type Response, Router } from "express";
import type { Cookie } from "../access/cookies.ts";
import type { SignedInSessions } from "../access/sessions.ts";
import type { Claims, OidcProvider, PendingSignIn } from "./provider.ts";
import { rolesOfClaims, verifiedEmailOf } from "./role-of-claims.ts";
import type { OidcSettings } from "./settings.ts";

const beginPath = "/sign-in/oidc";
/** Where the provider sends the browser back to: to be registered there. */
export const callbackPath = `${beginPath}/callback`;

/** How long somebody may take at the provider. */
const pendingSeconds = 10 * 60;

export interface OidcRouteParts {
  settings: OidcSettings;
  provider: OidcProvider;
  sessions: SignedInSessions;
  /** Remembers a sign-in while the browser is at the provider. */
  cookie: Cookie;
  /** Where browsers reach the console. */
  origin: string;
  log: Log;
}

/**
 * Creates the routes of the sign-in by an OpenID provider. It ends at the path of the query's `next`,
 * where the page led from, else at the overview. A sign-in that fails ends on the page, at
 * `/sign-in?error=refused` where the operator has no role or is disabled, else `?error=provider`.
 */
export function createOidcRoutes(parts: OidcRouteParts): Router {
  const { provider, cookie, log } = parts;

  async function begin(req: Request, res: Response): Promise<void> {
    const { url, pending } = await provider.begin();
    const remembered = encode({ ...pending, next: ownPath(req.query.next) });
    res.append("set-cookie", cookie.write(remembered, pendingSeconds));
    res.redirect(303, url.href);
  }

  async function complete(req: Request, res: Response): Promise<void> {
    const pending = decode(cookie.read(new Headers({ cookie: req.headers.cookie ?? "" })));
    res.append("set-cookie", cookie.clear());
    if (pending === undefined) throw new Error("the sign-in has expired, or was not begun here");
    const url = new URL(req.originalUrl, parts.origin);
    const claims = await provider.complete(url, pending);
    const setCookie = await beginSession(parts, claims, withoutMapping(req.ip ?? ""));
    if (setCookie === undefined) return res.redirect(303, "/sign-in?error=refused");
    res.append("set-cookie", setCookie);
    res.redirect(303, ownPath(pending.next));
  }

  const orFail = (handle: typeof begin) => (req: Request, res: Response) => {
    res.setHeader("Cache-Control", "no-store");
    handle(req, res).catch((error: unknown) => {
      log.warn({ reason: reasonOf(error) }, "sign-in by the OpenID provider failed");
      res.redirect(303, "/sign-in?error=provider");
    });
  };
  const router = Router();
  router.get(beginPath, orFail(begin));
  router.get(callbackPath, orFail(complete));
  return router;
}

/** Resolves with the cookie of a new session; undefined where the claims give no role. */
async function beginSession(
  { settings, sessions, log }: OidcRouteParts,
  claims: Claims,
  address: string,
): Promise<string | undefined> {
  const email = verifiedEmailOf(claims);
  const given = rolesOfClaims(claims[settings.roleClaim], email, settings.roles);
  const { mapping, memberships: members } = given;
  const name = nameOf(claims);
  if (mapping === undefined && members.length === 0) {
    log.warn({ name, claim: settings.roleClaim }, "the claims of an operator give no role");
    return undefined;
  }
  const { role, account } = mapping ?? { role: OperatorRole.CUSTOMER, account: "" };
  const memberships = members.map(({ account, memberRole }) => ({
    account,
    role: memberRole ?? MemberRole.UNSPECIFIED,
  }));
  const person = { issuer: claims.iss, subject: claims.sub, name, email };
  const value = { ...person, role, account, memberships };
  return (await sessions.begin({ case: "provider", value }, address))?.setCookie;
}

/** The name is for people: the subject identifies. */
function nameOf({ email, preferred_username: username, name, sub }: Claims): string {
  const found = [email, username, name].find((one) => typeof one === "string" && one !== "");
  return String(found ?? sub).slice(0, 128);
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** A sign-in that was begun, and the path to which it leads. */
type Remembered = PendingSignIn & { next: string };

/** Returns a path of the console itself: `/` for anything else, such as `//example.com`. */
function ownPath(next: unknown): string {
  return typeof next === "string" && /^\/(?![/\\])/.test(next) && next.length <= 2_000 ? next : "/";
}

function encode(pending: Remembered): string {
  return Buffer.from(JSON.stringify(pending)).toString("base64url");
}

function decode(text = ""): Remembered | undefined {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Remembered;
  } catch {
    return undefined;
  }
}
