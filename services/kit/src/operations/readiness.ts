/** Whether a process wants new work. */
export interface Readiness {
  state(): "starting" | "ready" | "draining";
  isReady(): boolean;
  become(state: "ready" | "draining"): void;
}

export function createReadiness(): Readiness {
  let now: "starting" | "ready" | "draining" = "starting";
  return {
    state: () => now,
    isReady: () => now === "ready",
    become(state) {
      now = state;
    },
  };
}
