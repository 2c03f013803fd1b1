import { text as readText } from "node:stream/consumers";
import type { ProviderSecret } from "@tollgate/proto/tollgate/v1/secret";
import { formatTable, type TableColumn } from "../text/table.ts";
import { isoTime, shortTime } from "../text/times.ts";
import type { Command } from "./command.ts";

/** `tollgate secret set`: the value is read from standard input, so that no history has it. */
export const setSecretCommand: Command = {
  takes: ["NAME"],
  options: [],
  async run([name = ""], _options, operator) {
    if (process.stdin.isTTY) {
      process.stderr.write("The value of the secret, then Enter and Ctrl-D:\n");
    }
    const value = await readText(process.stdin);
    const { secret } = await operator().setSecret({ name, value });
    if (secret === undefined) throw new Error("the response has no secret");
    return {
      lines: [`secret ${name} is ${secret.hint}; its value is not shown again`],
      json: secretJson(secret),
    };
  },
};

/** `tollgate secret list` */
export const listSecretsCommand: Command = {
  takes: [],
  options: [],
  async run(_args, _options, operator) {
    const { secrets, missing } = await operator().listSecrets({});
    return {
      lines: [
        ...formatTable(columns, secrets),
        ...missing.map((name) => `the catalog names ${name}, which has no value`),
      ],
      json: { secrets: secrets.map(secretJson), missing },
    };
  },
};

/** `tollgate secret remove` */
export const removeSecretCommand: Command = {
  takes: ["NAME"],
  options: [],
  async run([name = ""], _options, operator) {
    await operator().removeSecret({ name });
    return { lines: [`secret ${name} removed`], json: { name } };
  },
};

/** `tollgate secret rekey` */
export const rekeySecretsCommand: Command = {
  takes: [],
  options: [],
  async run(_args, _options, operator) {
    const { rewrapped, rewrappedContents } = await operator().rekeySecrets({});
    return {
      lines: [
        `secrets that the first key of TOLLGATE_SECRETS_KEY wraps now, and did not: ${rewrapped}`,
        `contents that the first key of TOLLGATE_CONTENT_KEY wraps now, and did not: ${rewrappedContents}`,
      ],
      json: { rewrapped, rewrapped_contents: rewrappedContents },
    };
  },
};

const columns: readonly TableColumn<ProviderSecret>[] = [
  { title: "NAME", align: "left", cell: ({ name }) => name },
  { title: "VALUE", align: "left", cell: ({ hint }) => hint },
  { title: "PROVIDERS", align: "left", cell: ({ providers }) => providers.join(",") },
  { title: "SET", align: "left", cell: ({ setAt }) => shortTime(setAt), rank: 2 },
  { title: "BY", align: "left", cell: setterOf, rank: 1 },
  { title: "USED", align: "left", cell: ({ lastUsedAt }) => shortTime(lastUsedAt), rank: 3 },
];

function setterOf({ setByKind, setBy }: ProviderSecret): string {
  return setBy === "" ? setByKind : setBy;
}

function secretJson({ name, hint, providers, ...secret }: ProviderSecret) {
  return {
    ...{ name, hint, providers },
    set_by: { kind: secret.setByKind, name: secret.setBy },
    set_at: isoTime(secret.setAt),
    last_used_at: isoTime(secret.lastUsedAt),
    is_wrapped_by_first: secret.isWrappedByFirst,
  };
}
