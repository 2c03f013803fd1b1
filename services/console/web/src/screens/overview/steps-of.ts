import type { CatalogModel } from "@tollgate/proto/tollgate/v1/model";

/** Something that a new gateway needs before a client gets a response. */
export interface FirstStep {
  title: string;
  text: string;
  isDone: boolean;
  button: string;
  to: "/catalog/edit" | "/accounts" | "/keys" | "/quick-start";
}

/** What there is of each kind. */
interface Present {
  models: readonly Pick<CatalogModel, "slots">[];
  accounts: readonly unknown[];
  keys: readonly unknown[];
  requests: readonly unknown[];
}

/** Returns the five first steps of a gateway. Those that are true of it are done. */
export function stepsOf({ models, accounts, keys, requests }: Present): readonly FirstStep[] {
  return [
    {
      ...{ title: "Add a provider", text: "Its address and its key, which is tested first." },
      isDone: models.some(({ slots }) => slots.length > 0),
      ...{ button: "Add a provider", to: "/catalog/edit" },
    },
    {
      ...{ title: "Publish a model", text: "The alias that clients name, and its prices." },
      isDone: models.length > 0,
      ...{ button: "Edit the catalog", to: "/catalog/edit" },
    },
    {
      ...{ title: "Create an account", text: "Its wallet pays for the requests of its keys." },
      isDone: accounts.length > 0,
      ...{ button: "Create account", to: "/accounts" },
    },
    {
      ...{ title: "Create a key", text: "A client calls the gateway with it." },
      isDone: keys.length > 0,
      ...{ button: "Create key", to: "/keys" },
    },
    {
      ...{ title: "Send a request", text: "From a client, or in the playground." },
      isDone: requests.length > 0,
      ...{ button: "Quick start", to: "/quick-start" },
    },
  ];
}
