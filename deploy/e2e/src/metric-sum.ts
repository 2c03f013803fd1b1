/**
 * Resolves with the sum of a metric over processes. `labels` is the beginning of its labels, such as
 * `{result="taken"`.
 */
export async function metricSum(
  operationsUrls: readonly string[],
  name: string,
  labels = "",
): Promise<number> {
  const pages = await Promise.all(
    operationsUrls.map(async (url) => (await fetch(`${url}/metrics`)).text()),
  );
  const lines = pages.flatMap((page) => page.split("\n"));
  const own = lines.filter((line) => line.startsWith(`${name}${labels}`));
  return own.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
