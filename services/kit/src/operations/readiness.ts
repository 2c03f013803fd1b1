/** Whether a process wants new work. */
export interface Readiness {
  state(): "starting" | "ready" | "draining";
  become(state: "ready" | "draining"): void;
}

export function createReadiness(): Readiness {
  let now: "starting" | "ready" | "draining" = "starting";
  return {
    state: () => now,
    become(state) {
      now = state;
    },
  };
}
