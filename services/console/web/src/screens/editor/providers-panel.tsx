import { getRouteApi } from "@tanstack/react-router";
import { countOf } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Empty } from "../../ui/states.tsx";
import { useAskedOpen } from "../../ui/use-asked-open.ts";
import { useOpen } from "../../ui/use-open.ts";
import { AddModels } from "./add-models.tsx";
import { AddProvider } from "./add-provider.tsx";
import { type DraftEntry, without } from "./draft/document.ts";
import { providersOf } from "./draft/model-chain.ts";
import { problemsAt } from "./draft/problems.ts";
import { entryKind } from "./draft/vendors.ts";
import { EditProvider } from "./edit-provider.tsx";
import type { DraftEditing } from "./use-draft.ts";

const route = getRouteApi("/app/catalog/edit");

interface Row {
  name: string;
  entry: DraftEntry;
}

/** The providers of the draft. */
export function ProvidersPanel({ draft }: { draft: DraftEditing }) {
  const { create } = route.useSearch();
  const isBroken = draft.document.broken !== undefined;
  const adding = useAskedOpen(create === true && !isBroken);
  const rows = [...draft.document.providers].map(([name, entry]): Row => ({ name, entry }));
  return (
    <Section
      title="Providers"
      actions={
        <Button icon="plus" onClick={adding.open} disabled={isBroken}>
          Add a provider
        </Button>
      }
    >
      {isBroken && <BrokenTextNotice />}
      {!isBroken && rows.length === 0 && (
        <Empty icon="models" title="No providers yet">
          Add one with its API key, and choose from its models.
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          caption="Providers of the draft"
          columns={columnsOf(draft)}
          rows={rows}
          idOf={({ name }) => name}
        />
      )}
      <AddProvider key={adding.key} draft={draft} isOpen={adding.isOpen} onClose={adding.close} />
    </Section>
  );
}

/** Shown in place of the forms where they cannot read the text. */
export function BrokenTextNotice() {
  return <p className="notice">The text is not valid YAML. Mend it to use the forms again.</p>;
}

function columnsOf(draft: DraftEditing): readonly DataColumn<Row>[] {
  return [
    {
      header: "Provider",
      cell: ({ name, entry }) => (
        <>
          <strong className="cut">{name}</strong>
          <span className="quiet cut">{addressOf(entry)}</span>
          <span className="quiet cut">{keyOf(entry)}</span>
          <RowProblem draft={draft} path={["providers", name]} />
        </>
      ),
    },
    {
      header: "Actions",
      align: "right",
      cell: (row) => <ProviderActions key={row.name} draft={draft} {...row} />,
    },
  ];
}

/** What is wrong with an entry, beside it. */
export function RowProblem({
  draft,
  path,
}: {
  draft: DraftEditing;
  path: readonly (string | number)[];
}) {
  return problemsAt(draft.problems, path).map(({ path: place, message }) => {
    const text = `${place.slice(path.length).join(" › ")} ${message}`;
    return (
      <span key={text} className="row-problem">
        {text}
      </span>
    );
  });
}

function addressOf(entry: DraftEntry): string {
  const where = entry.base_url ?? entry.base_url_env ?? entry.region;
  return where === undefined ? entryKind(entry) : `${entryKind(entry)}, ${where}`;
}

function keyOf({ secret, api_key_env, keys }: DraftEntry): string {
  if (Array.isArray(keys)) return countOf(keys.length, "key");
  if (secret !== undefined) return `stored key ${secret}`;
  return api_key_env === undefined ? "no key" : `key in ${api_key_env}`;
}

function ProviderActions({ draft, name, entry }: Row & { draft: DraftEditing }) {
  const editing = useOpen();
  const choosing = useOpen();
  const isUsed = draft.document.models.some((model) => providersOf(model).includes(name));
  return (
    <div className="row-actions">
      <Button look="quiet" onClick={choosing.open} aria-label={`Add models of ${name}`}>
        Add models
      </Button>
      <Button look="quiet" onClick={editing.open} aria-label={`Edit ${name}`}>
        Edit
      </Button>
      {!isUsed && (
        <Button
          look="quiet"
          onClick={() => draft.change(without(draft.text, ["providers", name]))}
          aria-label={`Remove ${name}`}
        >
          Remove
        </Button>
      )}
      <EditProvider
        key={`edit ${editing.key}`}
        {...{ draft, name, entry, isOpen: editing.isOpen, onClose: editing.close }}
      />
      <AddModels
        key={`add ${choosing.key}`}
        {...{ draft, name, entry, isOpen: choosing.isOpen, onClose: choosing.close }}
      />
    </div>
  );
}
