import { useSyncExternalStore } from "react";

/** The themes that can be chosen. `system` follows the operating system. */
export const themes = { system: "System", light: "Light", dark: "Dark" } as const;
export type Theme = keyof typeof themes;

const changed = "tollgate:theme";

/** Returns the chosen theme, and a function that chooses another one and stores it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, read), choose];
}

function read(): Theme {
  const theme = localStorage.getItem("theme");
  return theme === "light" || theme === "dark" ? theme : "system";
}

function choose(theme: Theme): void {
  localStorage.setItem("theme", theme);
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  dispatchEvent(new Event(changed));
}

function subscribe(onChange: () => void): () => void {
  addEventListener(changed, onChange);
  return () => removeEventListener(changed, onChange);
}
