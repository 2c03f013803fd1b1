/** Whether a process accepts new work. `refusing` means that it cannot serve the newest catalog. */
export interface Readiness {
  state(): "starting" | "ready" | "refusing" | "draining";
  /** Returns whether callers should use another replica. */
  isUnavailable(): boolean;
  markReady(): void;
  setRefusing(isRefusing: boolean): void;
  markDraining(): void;
}

export function createReadiness(): Readiness {
  let current: "starting" | "ready" | "draining" = "starting";
  let isRefusing = false;
  return {
    state: () => (current === "ready" && isRefusing ? "refusing" : current),
    isUnavailable: () => current === "draining" || isRefusing,
    markReady() {
      current = "ready";
    },
    setRefusing(refuses) {
      isRefusing = refuses;
    },
    markDraining() {
      current = "draining";
    },
  };
}
