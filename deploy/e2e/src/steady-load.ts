/** Requests that some clients send one after the other, until they are stopped. */
export interface SteadyLoad<Response> {
  /** The responses so far, in the order in which they came. */
  responses: readonly Response[];
  /** Resolves with all responses once the last requests have ended. Rejects as the first that failed. */
  stop(): Promise<readonly Response[]>;
}

/** Starts clients, each of which sends its next request when its last one has ended. */
export function startSteadyLoad<Response>(
  clients: number,
  sendOne: (index: number) => Promise<Response>,
): SteadyLoad<Response> {
  const responses: Response[] = [];
  let isRunning = true;
  let next = 0;
  const run = async () => {
    while (isRunning) responses.push(await sendOne(next++));
  };
  const all = Promise.all(Array.from({ length: clients }, run));
  // Its failure is that of `stop`.
  all.catch(() => {});
  return {
    responses,
    async stop() {
      isRunning = false;
      await all;
      return responses;
    },
  };
}
