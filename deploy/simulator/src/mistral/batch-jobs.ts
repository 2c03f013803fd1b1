import type { Commands } from "../commands.ts";

/** A batch job of one request. */
export interface BatchJob {
  id: string;
  model: string;
  commands: Commands;
  /** What the endpoint responds to the request of the job. */
  body: object;
  /** How often it was read. */
  reads: number;
  /** The id of the file with the result. */
  file: string;
}

/** The jobs of Mistral's batch API. */
export interface BatchJobs {
  add(job: BatchJob): void;
  find(id: string): BatchJob | undefined;
  findByFile(file: string): BatchJob | undefined;
}

/** Above this number the oldest job is dropped. */
const JOB_LIMIT = 1_000;

export function createBatchJobs(): BatchJobs {
  const jobs = new Map<string, BatchJob>();
  return {
    add(job) {
      jobs.set(job.id, job);
      if (jobs.size <= JOB_LIMIT) return;
      for (const oldest of jobs.keys()) {
        jobs.delete(oldest);
        break;
      }
    },
    find: (id) => jobs.get(id),
    findByFile: (file) => [...jobs.values()].find((job) => job.file === file),
  };
}
