/** Returns the lines to print of CSV that the server has written. */
export function csvLines(csv: string): string[] {
  return csv === "" ? [] : [csv.replace(/\n$/, "")];
}
