import type { ProviderSecret } from "@tollgate/proto/tollgate/v1/secret";
import { useState } from "react";
import { Choice, Field } from "../../ui/form.tsx";
import type { DraftEntry } from "./draft/document.ts";
import { fieldText } from "./draft/model-chain.ts";
import type { PoolKey } from "./draft/pool-keys.ts";
import { identityMembersOf } from "./draft/vendors.ts";
import { IdentityFields } from "./identity-fields.tsx";
import { KeyPoolFields } from "./key-pool-fields.tsx";

interface Props {
  kind: string;
  entry: DraftEntry;
  secrets: readonly ProviderSecret[];
  /** The keys of its pool, where it has several. */
  pool: readonly PoolKey[];
  onPool: (keys: readonly PoolKey[]) => void;
  problemOf: (...fields: (string | number)[]) => string | undefined;
}

type Source = "stored" | "new" | "variable" | "none" | "several" | "identity";

/**
 * Where the key of a provider is: stored, entered now, in a variable, or nowhere. Or its several keys, or an
 * identity of its cloud in place of a key.
 */
export function ProviderKeyFields({ kind, entry, secrets, pool, onPool, problemOf }: Props) {
  const [chosen, setSource] = useState(sourceOf(entry));
  const hasIdentities = identityMembersOf(kind) !== undefined;
  const source = chosen === "identity" && !hasIdentities ? "none" : chosen;
  const names = new Set([fieldText(entry.secret), ...secrets.map(({ name }) => name)]);
  names.delete("");
  const hints = new Map(secrets.map(({ name, hint }) => [name, hint]));
  return (
    <>
      <Choice
        label="Key"
        name="key-source"
        options={[
          ...(names.size > 0 ? [["stored", "A stored key"] as const] : []),
          ["new", "A new key"],
          ["variable", "An environment variable"],
          ["several", "Several keys"],
          ...(hasIdentities ? [["identity", "None: the identity of the cloud"] as const] : []),
          ["none", "None"],
        ]}
        value={source}
        problem={source === "several" ? undefined : problemOf("keys")}
        onChange={(event) => setSource(event.target.value as Source)}
      />
      {source === "several" && (
        <KeyPoolFields
          keys={pool}
          stored={[...names]}
          onChange={onPool}
          problemOf={(key) => problemOf("keys", key)}
        />
      )}
      {source === "identity" && <IdentityFields {...{ kind, entry, problemOf }} />}
      {source === "stored" && (
        <Choice
          label="Stored key"
          name="secret"
          options={[...names].map((name) => [name, `${name} ${hints.get(name) ?? "(not set)"}`])}
          defaultValue={fieldText(entry.secret)}
          problem={problemOf("secret")}
        />
      )}
      {source === "new" && (
        <Field
          label="API key"
          name="key"
          type="password"
          required
          autoComplete="new-password"
          spellCheck={false}
          className="mono"
          hint="It is encrypted, and never shown again. Requests use it once the draft is published."
          problem={problemOf("secret")}
        />
      )}
      {source === "variable" && (
        <Field
          label="Variable"
          name="api_key_env"
          required
          placeholder="OPENAI_API_KEY"
          defaultValue={fieldText(entry.api_key_env)}
          spellCheck={false}
          hint="It is set for every service that calls providers."
          problem={problemOf("api_key_env")}
        />
      )}
    </>
  );
}

function sourceOf({ keys, identity, secret, api_key_env }: DraftEntry): Source {
  if (Array.isArray(keys)) return "several";
  if (identity !== undefined) return "identity";
  if (secret !== undefined) return "stored";
  return api_key_env === undefined ? "none" : "variable";
}
