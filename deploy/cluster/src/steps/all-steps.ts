import { autoscaling } from "./autoscaling.ts";
import { books } from "./books.ts";
import { consoleStep } from "./console.ts";
import { deletions, forcedDeletions } from "./deletions.ts";
import { edgeReplacements, edgeReplacementsBehindIngress } from "./edge-replacements.ts";
import { failover } from "./failover.ts";
import { gitops } from "./gitops.ts";
import { helmTest } from "./helm-test.ts";
import { policies } from "./policies.ts";
import { publishing } from "./publishing.ts";
import { refusals } from "./refusals.ts";
import { scaling } from "./scaling.ts";
import { sdkThroughIngress, sdkThroughService } from "./sdk.ts";
import { spool } from "./spool.ts";
import type { ClusterStep } from "./step.ts";
import { uninstall } from "./uninstall.ts";
import { upgrades } from "./upgrades.ts";

/**
 * In this order. `books` compares what all loads before it were charged. Of the requests that
 * `kill-pods` cuts off afterwards, some are charged although their responses are lost.
 */
export const allSteps: readonly ClusterStep[] = [
  helmTest,
  sdkThroughService,
  sdkThroughIngress,
  consoleStep,
  policies,
  refusals,
  gitops,
  upgrades,
  publishing,
  edgeReplacements,
  edgeReplacementsBehindIngress,
  scaling,
  autoscaling,
  deletions,
  books,
  forcedDeletions,
  spool,
  failover,
  uninstall,
];
