/** Whether a process accepts new work. */
export interface Readiness {
  state(): "starting" | "ready" | "draining";
  isDraining(): boolean;
  markReady(): void;
  markDraining(): void;
}

export function createReadiness(): Readiness {
  let current: "starting" | "ready" | "draining" = "starting";
  return {
    state: () => current,
    isDraining: () => current === "draining",
    markReady() {
      current = "ready";
    },
    markDraining() {
      current = "draining";
    },
  };
}
