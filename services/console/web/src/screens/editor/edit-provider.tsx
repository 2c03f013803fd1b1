import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import { useChange } from "../../calls/use-change.ts";
import { countOf } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Choice, Field, type FieldReader } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { type DraftEntry, withFields } from "./draft/document.ts";
import { typedIdentity } from "./draft/identity-entry.ts";
import { fieldText } from "./draft/model-chain.ts";
import { type PoolKey, poolEntriesOf, poolKeysOf } from "./draft/pool-keys.ts";
import { type DraftProblem, problemAt, readProblem } from "./draft/problems.ts";
import { catalogOfProvider } from "./draft/tried-catalog.ts";
import {
  entryKind,
  freeName,
  hasOwnAddress,
  hasProjects,
  isRegional,
  kinds,
  namedKind,
} from "./draft/vendors.ts";
import { ListingProblem } from "./listing-problem.tsx";
import { OtherProblem } from "./other-problem.tsx";
import { ProviderKeyFields } from "./provider-key-fields.tsx";
import type { DraftEditing } from "./use-draft.ts";
import { useEntryCheck } from "./use-entry-check.ts";
import { type ProviderListing, useProviderModels } from "./use-provider-models.ts";

interface Props {
  draft: DraftEditing;
  name: string;
  entry: DraftEntry;
  isOpen: boolean;
  onClose: () => void;
}

/** Changes a provider of the draft. What has no field stays as the YAML has it. */
export function EditProvider({ draft, name, entry, isOpen, onClose }: Props) {
  return (
    <Dialog
      title={`Edit ${name}`}
      description="Other settings, such as timeouts, are in the YAML."
      isOpen={isOpen}
      onClose={onClose}
    >
      <Form {...{ draft, name, entry, onClose }} />
    </Dialog>
  );
}

function Form({ draft, name, entry, onClose }: Omit<Props, "isOpen">) {
  const [kind, setKind] = useState(entryKind(entry));
  const [pool, setPool] = useState<readonly PoolKey[]>(() => poolKeysOf(entry));
  const [form, setForm] = useState<HTMLFormElement | null>(null);
  const secrets = useQuery(OperatorService.method.listSecrets, {});
  const store = useChange(OperatorService.method.setSecret, { gcTime: 0 });
  const check = useEntryCheck();
  const listing = useProviderModels();
  const problems = [...check.problems, ...problemsWithin(draft.problems, name)];
  const problemOf = (...fields: (string | number)[]) =>
    problemAt(problems, ["providers", name, ...fields])?.message;

  const read = (values: FieldReader) => {
    const own = { kind, ...addressOf(values, entry), ...keyOf(values, pool, kind, entry) };
    return {
      fields: { ...own, kind: entry.kind === undefined ? namedKind(kind) : kind },
      typed: values("key-source") === "new" ? values("key") : "",
    };
  };
  const apply = async (values: FieldReader) => {
    const { fields, typed } = read(values);
    const stored = secrets.data?.secrets.map((one) => one.name) ?? [];
    const secret = typed === "" ? fields.secret : freeName(name, stored);
    const changed = { ...fields, secret };
    const text = catalogOfProvider(name, { ...entry, ...changed });
    if (!(await check.passes(text, readProblem))) return;
    if (typed !== "") {
      const done = await store
        .mutateAsync({ name: String(secret), value: typed })
        .catch(() => undefined);
      if (done === undefined) return;
      draft.rememberKey(name, typed);
    }
    draft.change(withFields(draft.text, ["providers", name], changed));
    onClose();
  };
  const tryIt = () => {
    if (form === null) return;
    const values = new FormData(form);
    const { fields, typed } = read((field) => String(values.get(field) ?? "").trim());
    const apiKey = typed || (draft.typedKeys.get(name) ?? "");
    listing.list({ name, entry: { ...entry, ...fields }, apiKey });
  };
  return (
    <CallForm
      submit="Change the draft"
      isBusy={store.isPending || check.isPending}
      error={store.error ?? check.error}
      formRef={setForm}
      onSubmit={(values) => void apply(values)}
      onCancel={onClose}
    >
      <ApiFields {...{ entry, kind, problemOf }} onKind={setKind} />
      <ProviderKeyFields
        kind={kind}
        entry={entry}
        secrets={secrets.data?.secrets ?? []}
        pool={pool}
        onPool={setPool}
        problemOf={problemOf}
      />
      <OtherProblem problems={problems} shown={shownFields} />
      <div className="try">
        <Button onClick={tryIt} disabled={listing.isPending}>
          {listing.isPending ? "Testing…" : "Test"}
        </Button>
        <TryResult listing={listing} />
      </div>
    </CallForm>
  );
}

interface ApiProps {
  entry: DraftEntry;
  kind: string;
  onKind: (kind: string) => void;
  problemOf: (field: string) => string | undefined;
}

/** The API that a provider speaks, and where it is. */
function ApiFields({ entry, kind, onKind, problemOf }: ApiProps) {
  return (
    <>
      <Choice
        label="API"
        options={kinds.map((one) => [one, one])}
        value={kind}
        problem={problemOf("kind")}
        onChange={(event) => onKind(event.target.value)}
      />
      {entry.base_url_env === undefined ? (
        <Field
          label="Address"
          name="base_url"
          type="url"
          defaultValue={fieldText(entry.base_url)}
          hint={hasOwnAddress(kind) ? "Empty: that of the vendor." : undefined}
          problem={problemOf("base_url")}
          spellCheck={false}
        />
      ) : (
        <Field
          label="Variable with the address"
          name="base_url_env"
          defaultValue={fieldText(entry.base_url_env)}
          problem={problemOf("base_url_env")}
          spellCheck={false}
        />
      )}
      {places
        .filter(({ name, isOf }) => isOf(kind) || entry[name] !== undefined)
        .map(({ name, label }) => (
          <Field
            key={name}
            {...{ name, label }}
            defaultValue={fieldText(entry[name])}
            problem={problemOf(name)}
            spellCheck={false}
          />
        ))}
    </>
  );
}

/** Where in its vendor's cloud a provider may be. */
const places = [
  { name: "region", label: "Region", isOf: isRegional },
  { name: "project", label: "Project", isOf: hasProjects },
] as const;

function TryResult({ listing }: { listing: ProviderListing }) {
  const { data, isPending, isRefused } = listing;
  if (isRefused) return <ListingProblem listing={listing} />;
  if (isPending || data === undefined) return null;
  return (
    <p className="notice good">
      <Icon name="check" />
      It works: the provider lists {countOf(data.models.length, "model")}.
    </p>
  );
}

const shownFields = [
  ...["kind", "base_url", "base_url_env", "region", "project"],
  ...["keys", "secret", "api_key_env", "identity"],
] as const;

function problemsWithin(problems: readonly DraftProblem[], name: string) {
  return problems.filter(({ path }) => path[0] === "providers" && path[1] === name);
}

function addressOf(values: FieldReader, { base_url_env }: DraftEntry) {
  const place = {
    region: values("region") || undefined,
    project: values("project") || undefined,
  };
  if (base_url_env !== undefined)
    return { base_url_env: values("base_url_env") || undefined, ...place };
  return { base_url: values("base_url") || undefined, ...place };
}

function keyOf(values: FieldReader, pool: readonly PoolKey[], kind: string, entry: DraftEntry) {
  const source = values("key-source");
  return {
    keys: source === "several" ? poolEntriesOf(pool) : undefined,
    identity: source === "identity" ? typedIdentity(values, kind, entry) : undefined,
    secret: source === "stored" ? values("secret") : undefined,
    api_key_env: source === "variable" ? values("api_key_env") : undefined,
  };
}
