import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { RunReporter } from "./src/run-reporter.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const timeouts = { testTimeout: 60_000, hookTimeout: 120_000 };

/** `expect.poll` gives up after 4 s: a busy machine takes longer than the default second. */
const expect = { poll: { timeout: 4_000 } };

/** Tests of one package wait more than they compute, so there are more workers than cores. */
const packageWorkers = Math.min(2 * availableParallelism(), 8);

/**
 * These start programs (Postgres, NATS, Helm, a bundle, the launcher's children) or wait for the
 * disk. They are not among the unit tests, which a developer runs after each change.
 */
const programSpecs = [
  "deploy/{bundle,cluster,local}/src/**/*.spec.ts",
  "deploy/laws/src/chart/*.spec.ts",
  "deploy/simulator/src/main.spec.ts",
  "services/kit/metering/src/outbox/*.spec.ts",
];

/** These mock modules, so they run isolated. */
const mockingSpecs = ["**/write-ahead-log.spec.ts"];

/**
 * With `TOLLGATE_TEST_FORM=short` the long tests send fewer requests, and leave out what needs more
 * than Node and npm.
 */
const form: "short" | "whole" = process.env.TOLLGATE_TEST_FORM === "short" ? "short" : "whole";

/**
 * These need Chromium, Go or Python, download agents of 180 to 400 MB, start a fleet and stores of their own, or wait
 * until credentials expire.
 */
const nightlyTests = [
  "deploy/e2e/long/{agents,api-reference-page,catalog-editor}.test.ts",
  "deploy/e2e/long/{console-page,console-proof,console-search,customer-journey}.test.ts",
  "deploy/e2e/long/{encrypted-fleet,first-steps,ipv6,mailpit,moto,opencode,playground,refused-key,regions}.test.ts",
  "deploy/e2e/long/{short-lived-credentials,stripe-mock,support-clicks}.test.ts",
];

/** In the short form these run against one process only. */
const oneProcessTests = ["deploy/e2e/long/{image,large-*,memory,package,slow-bodies}.test.ts"];

/** One stack per worker; see `shared-stack.ts`. */
const stackWorkers = 3;

/**
 * End-to-end tests against one process ("all") or one process per service ("fleet"). Without
 * isolation the files of a worker share one module graph, and with it a running stack.
 */
function endToEnd(shape: "all" | "fleet", include: string[], groupOrder: number) {
  return {
    test: {
      name: shape,
      include,
      provide: { needs: "gateway" as const, shape },
      isolate: false,
      maxWorkers: stackWorkers,
      sequence: { groupOrder },
      ...timeouts,
    },
  };
}

/** End-to-end tests that take long, one file at a time. */
function longEndToEnd(shape: "all" | "fleet", groupOrder: number) {
  const exclude = [
    ...configDefaults.exclude,
    ...(form === "short" ? nightlyTests : []),
    ...(form === "short" && shape === "fleet" ? oneProcessTests : []),
    // These have gateways of their own, or test what does not depend on the shape.
    ...(shape === "fleet"
      ? [
          "deploy/e2e/long/{api-reference-page,console-page,console-search}.test.ts",
          "deploy/e2e/long/{customer-journey,first-steps,image,ipv6,mailpit,moto}.test.ts",
          "deploy/e2e/long/{package,short-lived-credentials,support-clicks,tinyproxy}.test.ts",
        ]
      : []),
    // One kills a service and not the others, and one needs replicas of each.
    ...(shape === "all" ? ["deploy/e2e/long/{catalog-kills,shared-load}.test.ts"] : []),
  ];
  return {
    test: {
      name: `${shape}-long`,
      include: ["deploy/e2e/long/**/*.test.ts"],
      exclude,
      provide: { needs: "gateway" as const, shape, form },
      maxWorkers: 1,
      sequence: { groupOrder },
      ...timeouts,
    },
  };
}

export default defineConfig({
  root,
  test: {
    reporters: ["default", new RunReporter(process.env.TOLLGATE_TEST_RESULTS)],
    globalSetup: "deploy/e2e/src/run-setup.ts",
    projects: [
      {
        test: {
          name: "unit",
          include: ["services/**/src/**/*.spec.ts", "deploy/*/src/**/*.spec.ts"],
          exclude: [...configDefaults.exclude, ...programSpecs, ...mockingSpecs],
          isolate: false,
          maxWorkers: packageWorkers,
          sequence: { groupOrder: 1 },
          ...timeouts,
          expect,
        },
      },
      {
        test: {
          name: "programs",
          include: programSpecs,
          exclude: [...configDefaults.exclude, ...mockingSpecs],
          isolate: false,
          maxWorkers: packageWorkers,
          sequence: { groupOrder: 1 },
          ...timeouts,
          expect,
        },
      },
      {
        test: {
          name: "mocks",
          include: mockingSpecs,
          maxWorkers: packageWorkers,
          sequence: { groupOrder: 1 },
          ...timeouts,
          expect,
        },
      },
      {
        test: {
          name: "services",
          include: ["services/**/test/**/*.test.ts"],
          provide: { needs: "postgres" },
          isolate: false,
          maxWorkers: packageWorkers,
          sequence: { groupOrder: 1 },
          ...timeouts,
          expect,
        },
      },
      endToEnd("all", ["deploy/e2e/test/**/*.test.ts", "deploy/e2e/one-process/**/*.test.ts"], 2),
      endToEnd("fleet", ["deploy/e2e/test/**/*.test.ts"], 3),
      longEndToEnd("all", 4),
      longEndToEnd("fleet", 5),
      {
        test: {
          name: "faults",
          include: ["deploy/faults/test/**/*.test.ts"],
          provide: { form },
          maxWorkers: 1,
          sequence: { groupOrder: 6 },
        },
      },
    ],
  },
});
