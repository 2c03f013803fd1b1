import { Link, Navigate, Outlet, useLocation } from "@tanstack/react-router";
import type { Operator } from "@tollgate/proto/tollgate/v1/operator";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useAccess, useSession } from "../calls/use-session.ts";
import { isFollowing } from "../first-steps/following.ts";
import { OutageBanner } from "../outages/outage-banner.tsx";
import { PaletteButton } from "../palette/palette-button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Empty, Failure } from "../ui/states.tsx";
import { AccountSwitch } from "./account-switch.tsx";
import { Bell } from "./bell.tsx";
import { Logo } from "./logo.tsx";
import { destinationsOf, isBeside } from "./navigation.ts";

/** Loaded after the frame: it is no part of the first load. */
const UserMenu = lazy(async () => ({ default: (await import("./user-menu.tsx")).UserMenu }));

/** Loaded where it is shown: it is no part of the first load. */
const RequiredFactor = lazy(async () => ({
  default: (await import("../second-factor/required-factor.tsx")).RequiredFactor,
}));

/** Loaded where a new gateway is set up. */
const NextStep = lazy(async () => ({
  default: (await import("../first-steps/next-step.tsx")).NextStep,
}));

/**
 * The frame of every screen. A user who is not signed in is sent to the sign-in, and one who must have a second
 * factor sets it up first.
 */
export function Shell() {
  const session = useSession();
  // Until the recovery codes of a factor that was required were seen.
  const [isSettingUp, setSettingUp] = useState(false);
  const { href, pathname } = useLocation();
  if (session.error && session.data === undefined) {
    return (
      <main className="page">
        <Failure error={session.error} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  if (session.data === undefined) return <Frame operator={undefined} />;
  const { operator, mustSetUpFactor } = session.data;
  if (operator !== undefined && (mustSetUpFactor || isSettingUp)) {
    const onOpen = () => setSettingUp(true);
    return (
      <Suspense>
        <RequiredFactor operator={operator} onOpen={onOpen} onClose={() => setSettingUp(false)} />
      </Suspense>
    );
  }
  if (operator !== undefined) return <Frame operator={operator} />;
  // The frame is drawn once more while the sign-in is loaded.
  if (pathname === "/sign-in") return null;
  return <Navigate to="/sign-in" search={href === "/" ? {} : { next: href }} replace />;
}

function Frame({ operator }: { operator: Operator | undefined }) {
  const isWaiting = useAccess().hasNoAccount;
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="side">
        <Link to="/" className="brand">
          <Logo /> Tollgate
        </Link>
        {operator && <AccountSwitch />}
        {operator && !isWaiting && <PaletteButton />}
        {operator && !isWaiting && <Menu />}
        {operator && !isWaiting && <Bell />}
        {operator && (
          <Suspense fallback={<UserName name={operator.name} />}>
            <UserMenu operator={operator} />
          </Suspense>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        {operator && <FirstStepsFollowed />}
        {operator && !isWaiting && <OutageBanner />}
        {operator && (isWaiting ? <NoAccount /> : <Outlet />)}
      </main>
    </div>
  );
}

/** Leads to the next first step, on the screens to which the overview's list of them leads. */
function FirstStepsFollowed() {
  const { canChange } = useAccess();
  const { pathname } = useLocation();
  if (!canChange || pathname === "/" || !isFollowing(sessionStorage)) return null;
  return (
    <Suspense>
      <NextStep />
    </Suspense>
  );
}

/** Takes the place of the user's menu while it is loaded. */
function UserName({ name }: { name: string }) {
  return (
    <div className="user">
      <Icon name="user" />
      <span className="user-name">{name}</span>
    </div>
  );
}

/** What is shown to a person who is a member of no account. */
function NoAccount() {
  return (
    <div className="page">
      <Empty icon="accounts" title="You have no account yet">
        <title>No account – Tollgate</title>
        An operator approves your sign-up, or an admin invites you: you will get a mail.
      </Empty>
    </div>
  );
}

function Menu() {
  const shown = destinationsOf(useAccess());
  const { pathname } = useLocation();
  const menu = useRef<HTMLElement>(null);
  // On a narrow screen the menu is wider than the screen.
  useEffect(() => {
    const current = menu.current?.querySelector("[aria-current]");
    if (pathname !== "") current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [pathname]);
  return (
    <nav className="menu" aria-label="Screens" ref={menu}>
      {shown.map((one) => (
        <Link
          key={one.to}
          to={one.to}
          activeOptions={{ exact: one.to === "/", includeSearch: false }}
          {...(isBeside(one, pathname) && { "aria-current": "true" })}
        >
          <Icon name={one.icon} />
          <span>{one.name}</span>
        </Link>
      ))}
    </nav>
  );
}
