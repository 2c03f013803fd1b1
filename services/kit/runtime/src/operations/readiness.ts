/** Whether a process accepts new work. */
export interface Readiness {
  state(): "starting" | "ready" | "draining";
  isDraining(): boolean;
  become(state: "ready" | "draining"): void;
}

export function createReadiness(): Readiness {
  let now: "starting" | "ready" | "draining" = "starting";
  return {
    state: () => now,
    isDraining: () => now === "draining",
    become(state) {
      now = state;
    },
  };
}
