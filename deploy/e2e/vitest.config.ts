import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A busy machine takes longer than the second that is usual; 5 s is what calls here are given. */
const polls = { poll: { timeout: 4_000 } };

/** The same end-to-end suite, against one process and against the fleet. */
function endToEnd(shape: "all" | "fleet") {
  return {
    root,
    test: {
      name: shape,
      include: ["deploy/e2e/test/**/*.test.ts"],
      globalSetup: ["deploy/e2e/src/global-setup.ts"],
      provide: { shape },
      testTimeout: 60_000,
      hookTimeout: 120_000,
      fileParallelism: false,
    },
  };
}

export default defineConfig({
  root,
  test: {
    reporters: ["default"],
    projects: [
      {
        root,
        test: {
          name: "unit",
          include: ["services/**/src/**/*.spec.ts", "deploy/*/src/**/*.spec.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: polls,
        },
      },
      {
        root,
        test: {
          name: "services",
          include: ["services/**/test/**/*.test.ts"],
          globalSetup: ["deploy/e2e/src/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: polls,
        },
      },
      endToEnd("all"),
      endToEnd("fleet"),
      {
        root,
        test: {
          name: "faults",
          include: ["deploy/faults/test/**/*.test.ts"],
          fileParallelism: false,
        },
      },
    ],
  },
});
