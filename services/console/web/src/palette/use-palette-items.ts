import { useQuery } from "@connectrpc/connect-query";
import { useNavigate } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import {
  type PickerKind,
  type PickerOption,
  usePickerOptions,
} from "../calls/use-picker-options.ts";
import { useAccess } from "../calls/use-session.ts";
import { useSignOut } from "../calls/use-sign-out.ts";
import { isSecretText } from "../search/key-text.ts";
import { themes, useTheme } from "../shell/theme.ts";
import type { PaletteItem } from "./palette-item.ts";
import { screensOf } from "./palette-screens.ts";

interface Found {
  items: readonly PaletteItem[];
  /** Whether some are still searched for. */
  isPending: boolean;
}

/** What may be the id of a request: ids have digits, and no spaces. */
const idPattern = /^(?=.*\d)\S{6,200}$/;

/** Finds by a text. Without one, the screens and the actions are listed. A secret is not sent. */
export function usePaletteItems(text: string): Found {
  const access = useAccess();
  const isSecret = isSecretText(text);
  const search = isSecret ? "" : text;
  const isEnabled = search !== "";
  const page = { search, account: "" };
  const accounts = usePickerOptions("account", { ...page, isEnabled });
  const keys = usePickerOptions("key", { ...page, isEnabled: isEnabled && access.canSeeKeys });
  const models = usePickerOptions("model", { ...page, isEnabled });
  const request = useRequestItems(idPattern.test(search) && access.canSeeKeys ? search : "");
  const own = useOwnItems();
  const toItem = useFoundItem();
  const itemsOf = (kind: PickerKind, options: readonly PickerOption[]) =>
    isEnabled ? options.map((option) => toItem(kind, option)) : [];
  // Enter must not choose something else than what was typed.
  if (isSecret) return { items: [], isPending: false };
  return {
    items: [
      ...request.items,
      ...own.filter((item) => item.text.toLowerCase().includes(search.toLowerCase())),
      ...itemsOf("account", accounts.options),
      ...itemsOf("key", keys.options),
      ...itemsOf("model", models.options),
    ],
    isPending: [accounts, keys, models, request].some((one) => one.isPending),
  };
}

/** The request with an id, of any kind. */
function useRequestItems(id: string): Found {
  const navigate = useNavigate();
  const enabled = id !== "";
  const read = useQuery(OperatorService.method.getRequest, { id }, { enabled, retry: false });
  const { requests = [], refusals = [] } = read.data ?? {};
  const found = requests[0] ?? refusals[0];
  if (!enabled || found === undefined) return { items: [], isPending: enabled && read.isFetching };
  const note = [found.alias, requests.length > 0 ? "" : "refused"].filter(Boolean).join(" · ");
  const choose = () => {
    void navigate({ to: "/requests/$requestId", params: { requestId: id } });
    return undefined;
  };
  const item = { id: `request ${id}`, kind: "Request", icon: "requests", text: id, note } as const;
  return { items: [{ ...item, choose }], isPending: false };
}

/** Returns what leads to the screen of an account, a key or a model. */
function useFoundItem(): (kind: PickerKind, option: PickerOption) => PaletteItem {
  const navigate = useNavigate();
  const { isCustomer } = useAccess();
  return (kind, { value, text, note }) => {
    const shared = { id: `${kind} ${value}`, text, note };
    if (kind === "account") {
      const to = { to: "/accounts/$accountId", params: { accountId: value } } as const;
      return { ...shared, kind: "Account", icon: "accounts", choose: () => void navigate(to) };
    }
    if (kind === "key") {
      const to = { to: "/keys/$keyId", params: { keyId: value } } as const;
      return { ...shared, kind: "Key", icon: "keys", choose: () => void navigate(to) };
    }
    const choose = () =>
      void (isCustomer
        ? navigate({ to: "/activity", search: { model: value } })
        : navigate({ to: "/models", search: { find: value } }));
    return { ...shared, kind: "Model", icon: "models", choose };
  };
}

/** The screens, and what can be done on every screen. */
function useOwnItems(): PaletteItem[] {
  const access = useAccess();
  const navigate = useNavigate();
  const [, chooseTheme] = useTheme();
  const signOut = useSignOut();
  const screens = screensOf(access).map(({ name, icon, ...to }): PaletteItem => {
    const shared = { id: `screen ${name}`, text: name, note: "" };
    return { ...shared, kind: "Screen", icon, choose: () => void navigate(to) };
  });
  const action = (text: string, icon: PaletteItem["icon"], choose: PaletteItem["choose"]) =>
    ({ id: `action ${text}`, kind: "Action", icon, text, note: "", choose }) as const;
  return [
    ...screens,
    ...(access.canChange ? [action("Create account", "plus", () => "account")] : []),
    ...(access.canChangeKeys ? [action("Create key", "plus", () => "key")] : []),
    ...(["system", "light", "dark"] as const).map((theme) =>
      action(`Theme: ${themes[theme]}`, themeIcons[theme], () => void chooseTheme(theme)),
    ),
    action("Sign out", "user", () => void signOut.mutate({})),
  ];
}

const themeIcons = { system: "system", light: "sun", dark: "moon" } as const;
