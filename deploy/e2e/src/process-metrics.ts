/** Resolves with the metrics of processes, a page of each. */
export function readMetrics(operationsUrls: readonly string[]): Promise<string[]> {
  return Promise.all(operationsUrls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
}

/**
 * Resolves with the sum of a metric over processes. `labels` is the beginning of its labels, such as
 * `{result="taken"`.
 */
export async function metricSum(
  operationsUrls: readonly string[],
  name: string,
  labels = "",
): Promise<number> {
  const lines = (await readMetrics(operationsUrls)).flatMap((page) => page.split("\n"));
  // Another metric may have a longer name.
  const isOwn = (line: string) => ["{", " "].includes(line.charAt(name.length));
  const own = lines.filter((line) => line.startsWith(`${name}${labels}`) && isOwn(line));
  return own.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
