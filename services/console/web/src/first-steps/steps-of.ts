import type { CatalogRevision } from "@tollgate/proto/tollgate/v1/catalog";
import type { CatalogModel } from "@tollgate/proto/tollgate/v1/model";
import type { EditorSearch } from "../search/editor-search.ts";
import type { AccountsSearch, KeysSearch } from "../search/list-search.ts";

/** Something that a new gateway needs before a client gets a response. */
export interface FirstStep {
  title: string;
  text: string;
  isDone: boolean;
  /** The text of the link to where it is done. */
  button: string;
  link: StepLink;
}

type StepLink =
  | { to: "/catalog/edit"; search: EditorSearch }
  | { to: "/accounts"; search: AccountsSearch }
  | { to: "/keys"; search: KeysSearch }
  | { to: "/quick-start"; search: { account?: string } };

/** What there is of each kind. */
interface Present {
  /** The newest one alone. */
  revisions: readonly Pick<CatalogRevision, "providers">[];
  models: readonly Pick<CatalogModel, "slots">[];
  /** At least two, if there are as many. */
  accounts: readonly { id: string }[];
  keys: readonly unknown[];
  requests: readonly unknown[];
  /** Whether this tab has a draft of the catalog that is not published. */
  hasDraft: boolean;
}

/** Returns the five first steps of a gateway. A step is done once the gateway has what it is about. */
export function stepsOf(present: Present): readonly FirstStep[] {
  const { revisions, models, accounts, keys, requests } = present;
  const [only, ...others] = accounts;
  const account = only !== undefined && others.length === 0 ? { account: only.id } : {};
  return [
    {
      ...providerStep(present),
      isDone:
        revisions.some(({ providers }) => providers > 0) ||
        models.some(({ slots }) => slots.length > 0),
    },
    {
      ...{ title: "Publish a model", text: "The alias that clients name, and its prices." },
      isDone: models.length > 0,
      button: "Edit the catalog",
      link: { to: "/catalog/edit", search: { tab: "models" } },
    },
    {
      ...{ title: "Create an account", text: "Its wallet pays for the requests of its keys." },
      isDone: accounts.length > 0,
      button: "Create account",
      link: { to: "/accounts", search: { create: true } },
    },
    {
      ...{ title: "Create a key", text: "A client calls the gateway with it." },
      isDone: keys.length > 0,
      button: "Create key",
      link: { to: "/keys", search: { ...account, create: true } },
    },
    {
      ...{ title: "Send a request", text: "From a client, or in the playground." },
      isDone: requests.length > 0,
      button: "Quick start",
      link: { to: "/quick-start", search: account },
    },
  ];
}

function providerStep({
  hasDraft,
}: Present): Pick<FirstStep, "title" | "text" | "button" | "link"> {
  const title = "Add a provider";
  if (hasDraft) {
    const text = "Your draft is not published yet: review and publish it.";
    return {
      title,
      text,
      button: "Go on with the draft",
      link: { to: "/catalog/edit", search: {} },
    };
  }
  const link = { to: "/catalog/edit", search: { create: true } } as const;
  return { title, text: "Its address and its key, which is tested first.", button: title, link };
}
