import type { AddressedOperation } from "./operation-view.ts";

/** A command that makes the request, with a key from the environment. */
export function curlOf({ method, path, operation }: AddressedOperation): string {
  const { security, parameters = [], requestBody } = operation;
  const query = parameters
    .filter(({ in: where, required }) => where === "query" && required)
    .map(({ name }) => `${name}=…`)
    .join("&");
  const address = `"$TOLLGATE_URL${path}${query === "" ? "" : `?${query}`}"`;
  const lines = [`curl ${method === "delete" ? "-X DELETE " : ""}${address}`];
  const needsKey = security.length === 1;
  if (needsKey) lines.push(`-H "Authorization: Bearer $TOLLGATE_KEY"`);
  const { "application/json": json, "multipart/form-data": form } = requestBody?.content ?? {};
  if (form !== undefined) lines.push("-F model=…", "-F file=@…");
  if (json !== undefined) {
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(json.example)}'`);
  }
  return lines.join(" \\\n  ");
}
