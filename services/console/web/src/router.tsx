import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from "@tanstack/react-router";
import { readActivitySearch } from "./search/activity-search.ts";
import { readCatalogSearch } from "./search/catalog-search.ts";
import { readEditorSearch } from "./search/editor-search.ts";
import { readLedgersSearch } from "./search/ledger-search.ts";
import {
  readAccountsSearch,
  readKeysSearch,
  readMonthsSearch,
  readTimedListSearch,
  readWholeListSearch,
} from "./search/list-search.ts";
import { readOverviewSearch } from "./search/overview-search.ts";
import { readPaymentsSearch } from "./search/payments-search.ts";
import { parseSearch, type RawSearch, readTexts, stringifySearch } from "./search/read.ts";
import { readRefusalsSearch } from "./search/refusals-search.ts";
import { readRequestsSearch } from "./search/requests-search.ts";
import { readStatementsSearch } from "./search/statements-search.ts";
import { readAccountSearch, readSettingsSearch } from "./search/tab-search.ts";
import { readWarningsSearch } from "./search/warnings-search.ts";
import { NotFound, ScreenFailure } from "./shell/fallbacks.tsx";
import { Shell } from "./shell/shell.tsx";
import { Loading } from "./ui/states.tsx";

const root = createRootRoute({ component: Outlet });
const app = createRoute({ getParentRoute: () => root, id: "app", component: Shell });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (raw: RawSearch) => readTexts(raw, ["next"]),
  component: lazyRouteComponent(() => import("./screens/sign-in/sign-in.tsx"), "SignIn"),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up",
  component: lazyRouteComponent(() => import("./screens/sign-up/sign-up.tsx"), "SignUpScreen"),
});

const reset = createRoute({
  getParentRoute: () => root,
  path: "/reset",
  component: lazyRouteComponent(() => import("./screens/reset/reset.tsx"), "ResetScreen"),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  component: lazyRouteComponent(
    () => import("./screens/invitation/invitation.tsx"),
    "InvitationScreen",
  ),
});

const overview = createRoute({
  getParentRoute: () => app,
  path: "/",
  validateSearch: readOverviewSearch,
  component: lazyRouteComponent(() => import("./screens/overview/overview.tsx"), "Overview"),
});

const accounts = createRoute({
  getParentRoute: () => app,
  path: "/accounts",
  validateSearch: readAccountsSearch,
  component: lazyRouteComponent(() => import("./screens/accounts/accounts.tsx"), "Accounts"),
});

const account = createRoute({
  getParentRoute: () => app,
  path: "/accounts/$accountId",
  validateSearch: readAccountSearch,
  component: lazyRouteComponent(() => import("./screens/account/account.tsx"), "AccountScreen"),
});

const months = createRoute({
  getParentRoute: () => app,
  path: "/months",
  validateSearch: readMonthsSearch,
  component: lazyRouteComponent(() => import("./screens/months/months.tsx"), "MonthsScreen"),
});

const ledger = createRoute({
  getParentRoute: () => app,
  path: "/ledger",
  validateSearch: readLedgersSearch,
  component: lazyRouteComponent(() => import("./screens/ledger/ledger.tsx"), "LedgerScreen"),
});

const keys = createRoute({
  getParentRoute: () => app,
  path: "/keys",
  validateSearch: readKeysSearch,
  component: lazyRouteComponent(() => import("./screens/keys/keys.tsx"), "Keys"),
});

const key = createRoute({
  getParentRoute: () => app,
  path: "/keys/$keyId",
  component: lazyRouteComponent(() => import("./screens/key/key.tsx"), "KeyScreen"),
});

const quickStart = createRoute({
  getParentRoute: () => app,
  path: "/quick-start",
  validateSearch: (raw: RawSearch) => readTexts(raw, ["account"]),
  component: lazyRouteComponent(
    () => import("./screens/quick-start/quick-start-screen.tsx"),
    "QuickStartScreen",
  ),
});

const playground = createRoute({
  getParentRoute: () => app,
  path: "/playground",
  validateSearch: (raw: RawSearch) => readTexts(raw, ["account"]),
  component: lazyRouteComponent(
    () => import("./screens/playground/playground.tsx"),
    "PlaygroundScreen",
  ),
});

const members = createRoute({
  getParentRoute: () => app,
  path: "/members",
  validateSearch: readWholeListSearch,
  component: lazyRouteComponent(() => import("./screens/members/members.tsx"), "Members"),
});

const activity = createRoute({
  getParentRoute: () => app,
  path: "/activity",
  validateSearch: readActivitySearch,
  component: lazyRouteComponent(() => import("./screens/activity/activity.tsx"), "Activity"),
});

const requests = createRoute({
  getParentRoute: () => app,
  path: "/requests",
  validateSearch: readRequestsSearch,
  component: lazyRouteComponent(() => import("./screens/requests/requests.tsx"), "Requests"),
});

const refusals = createRoute({
  getParentRoute: () => app,
  path: "/refusals",
  validateSearch: readRefusalsSearch,
  component: lazyRouteComponent(() => import("./screens/refusals/refusals.tsx"), "RefusalsScreen"),
});

const request = createRoute({
  getParentRoute: () => app,
  path: "/requests/$requestId",
  component: lazyRouteComponent(() => import("./screens/request/request.tsx"), "RequestScreen"),
});

const models = createRoute({
  getParentRoute: () => app,
  path: "/models",
  validateSearch: (raw: RawSearch) => readTexts(raw, ["find"]),
  component: lazyRouteComponent(() => import("./screens/models/models.tsx"), "Models"),
});

const catalog = createRoute({
  getParentRoute: () => app,
  path: "/catalog",
  validateSearch: readCatalogSearch,
  component: lazyRouteComponent(() => import("./screens/catalog/catalog.tsx"), "CatalogScreen"),
});

const catalogEditor = createRoute({
  getParentRoute: () => app,
  path: "/catalog/edit",
  validateSearch: readEditorSearch,
  component: lazyRouteComponent(() => import("./screens/editor/editor.tsx"), "EditorScreen"),
});

const warnings = createRoute({
  getParentRoute: () => app,
  path: "/warnings",
  validateSearch: readWarningsSearch,
  component: lazyRouteComponent(() => import("./screens/warnings/warnings.tsx"), "WarningsScreen"),
});

const payments = createRoute({
  getParentRoute: () => app,
  path: "/payments",
  validateSearch: readPaymentsSearch,
  component: lazyRouteComponent(() => import("./screens/payments/payments.tsx"), "PaymentsScreen"),
});

const statements = createRoute({
  getParentRoute: () => app,
  path: "/statements",
  validateSearch: readStatementsSearch,
  component: lazyRouteComponent(
    () => import("./screens/statements/statements.tsx"),
    "StatementsScreen",
  ),
});

const statement = createRoute({
  getParentRoute: () => app,
  path: "/statements/$number",
  component: lazyRouteComponent(
    () => import("./screens/statements/statement.tsx"),
    "StatementScreen",
  ),
});

const codes = createRoute({
  getParentRoute: () => app,
  path: "/codes",
  validateSearch: readTimedListSearch,
  component: lazyRouteComponent(() => import("./screens/codes/codes.tsx"), "CodesScreen"),
});

const settings = createRoute({
  getParentRoute: () => app,
  path: "/settings",
  validateSearch: readSettingsSearch,
  component: lazyRouteComponent(() => import("./screens/settings/settings.tsx"), "Settings"),
});

const notFound = createRoute({ getParentRoute: () => app, path: "$", component: NotFound });

const routeTree = root.addChildren([
  signIn,
  signUp,
  reset,
  invitation,
  app.addChildren([
    overview,
    accounts,
    account,
    months,
    ledger,
    keys,
    key,
    members,
    quickStart,
    playground,
    activity,
    requests,
    refusals,
    request,
    models,
    catalog,
    catalogEditor,
    warnings,
    payments,
    statements,
    statement,
    codes,
    settings,
    notFound,
  ]),
]);

/** Returns the router of the page. Search parameters are texts; each screen reads its own. */
export function createAppRouter() {
  return createRouter({
    routeTree,
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPendingComponent: () => <Loading />,
    defaultErrorComponent: ScreenFailure,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
