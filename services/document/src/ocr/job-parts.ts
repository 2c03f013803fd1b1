import type { Log } from "@tollgate/core/log";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { JobStore } from "./job-store.ts";

/** What the handling of OCR jobs needs. */
export interface JobParts {
  runtime: ProviderRuntime;
  store: JobStore;
  log: Log;
  now(): Date;
}
