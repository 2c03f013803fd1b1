import { countOf } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Empty } from "../../ui/states.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { type DraftEntry, toEntry, without } from "./draft/document.ts";
import { fieldText } from "./draft/model-chain.ts";
import { EditPlan } from "./edit-plan.tsx";
import { BrokenTextNotice, RowProblem } from "./providers-panel.tsx";
import type { DraftEditing } from "./use-draft.ts";

interface Row {
  name: string;
  entry: DraftEntry;
}

/** The plans of the draft: what accounts with one pay. */
export function PlansPanel({ draft }: { draft: DraftEditing }) {
  const adding = useOpen();
  const { plans, broken } = draft.document;
  const rows = [...plans].map(([name, entry]): Row => ({ name, entry }));
  return (
    <Section
      title="Plans"
      actions={
        <Button icon="plus" onClick={adding.open} disabled={broken !== undefined}>
          Add a plan
        </Button>
      }
    >
      {broken && <BrokenTextNotice />}
      {!broken && rows.length === 0 && (
        <Empty icon="models" title="No plans yet">
          An account with a plan pays its prices instead of those of the models.
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          caption="Plans of the draft"
          columns={columnsOf(draft)}
          rows={rows}
          idOf={({ name }) => name}
        />
      )}
      <EditPlan
        key={adding.key}
        draft={draft}
        name={undefined}
        entry={{}}
        isOpen={adding.isOpen}
        onClose={adding.close}
      />
    </Section>
  );
}

function columnsOf(draft: DraftEditing): readonly DataColumn<Row>[] {
  return [
    {
      header: "Plan",
      cell: ({ name, entry }) => (
        <>
          <strong className="cut">{name}</strong>
          <span className="quiet cut">{pricesOf(entry)}</span>
          <RowProblem draft={draft} path={["plans", name]} />
        </>
      ),
    },
    {
      header: "Actions",
      align: "right",
      cell: (row) => <PlanActions key={row.name} draft={draft} {...row} />,
    },
  ];
}

function pricesOf({ factor, models }: DraftEntry): string {
  const own = Object.keys(toEntry(models)).length;
  const prices = `prices times ${fieldText(factor) || "1"}`;
  return own === 0 ? prices : `${prices}, ${countOf(own, "model")} with prices of its own`;
}

function PlanActions({ draft, name, entry }: Row & { draft: DraftEditing }) {
  const editing = useOpen();
  return (
    <div className="row-actions">
      <Button look="quiet" onClick={editing.open} aria-label={`Edit the plan ${name}`}>
        Edit
      </Button>
      <Button
        look="quiet"
        onClick={() => draft.change(without(draft.text, ["plans", name]))}
        aria-label={`Remove the plan ${name}`}
      >
        Remove
      </Button>
      <EditPlan
        key={editing.key}
        {...{ draft, name, entry, isOpen: editing.isOpen, onClose: editing.close }}
      />
    </div>
  );
}
