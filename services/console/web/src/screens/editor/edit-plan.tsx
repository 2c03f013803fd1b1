import { useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field, type FieldReader } from "../../ui/form.tsx";
import { type DraftEntry, withFields } from "./draft/document.ts";
import { fieldText } from "./draft/model-chain.ts";
import { type PlanPrice, planModelsOf, planPricesOf, withPlanPrices } from "./draft/plan-prices.ts";
import { type DraftProblem, problemAt, readProblem } from "./draft/problems.ts";
import { catalogOfPlan } from "./draft/tried-catalog.ts";
import { OtherProblem } from "./other-problem.tsx";
import { PlanPriceFields, readPlanPrices } from "./plan-price-fields.tsx";
import type { DraftEditing } from "./use-draft.ts";
import { useEntryCheck } from "./use-entry-check.ts";

interface Props {
  draft: DraftEditing;
  /** Undefined: a new one. */
  name: string | undefined;
  entry: DraftEntry;
  isOpen: boolean;
  onClose: () => void;
}

/** Changes a plan of the draft, or adds one. */
export function EditPlan({ draft, name, entry, isOpen, onClose }: Props) {
  return (
    <Dialog
      title={name === undefined ? "Add a plan" : `Edit the plan ${name}`}
      description="Accounts get a plan on their own screen."
      isOpen={isOpen}
      isWide
      onClose={onClose}
    >
      <Form {...{ draft, name, entry, onClose }} />
    </Dialog>
  );
}

function Form({ draft, name, entry, onClose }: Omit<Props, "isOpen">) {
  const before = planPricesOf(entry);
  const [prices, setPrices] = useState<readonly PlanPrice[]>(before);
  const check = useEntryCheck();
  const { models } = draft.document;
  // The problems of a plan without a name have an empty one.
  const at = name ?? "";
  const own = draft.problems.filter(({ path }) => path[0] === "plans" && path[1] === name);
  const problems = [...check.problems, ...own];
  const shown = new Set<unknown>(prices.map(({ alias }) => alias));
  const others = problems.filter(({ path }) => path[2] !== "models" || !shown.has(path[3]));
  const apply = async (values: FieldReader) => {
    const plan = name ?? values("name");
    const factor = values("factor") || undefined;
    const after = readPlanPrices(values, prices, models);
    const text = catalogOfPlan(draft.document, plan, {
      ...{ ...entry, factor, models: planModelsOf(after) },
    });
    const read = (error: string): DraftProblem | undefined => {
      const { message, path } = readProblem(error);
      const [root, , ...rest] = path;
      if (root === "providers" || root === "models") return undefined;
      return { message, path: root === "plans" ? ["plans", at, ...rest] : path };
    };
    if (!(await check.passes(text, read))) return;
    const withFactor = withFields(draft.text, ["plans", plan], { factor });
    draft.change(withPlanPrices(withFactor, plan, before, after));
    onClose();
  };
  return (
    <CallForm
      submit={name === undefined ? "Add to the draft" : "Change the draft"}
      isBusy={check.isPending}
      error={check.error}
      onSubmit={(values) => void apply(values)}
      onCancel={onClose}
    >
      {name === undefined && (
        <Field
          label="Name"
          name="name"
          required
          pattern={freeNames(draft)}
          title="Small letters, digits, dashes, and not the name of another plan"
          spellCheck={false}
          autoComplete="off"
        />
      )}
      <Field
        label="Factor"
        name="factor"
        inputMode="decimal"
        pattern="\d{1,4}(\.\d{1,6})?"
        title="Such as 0.9"
        placeholder="1"
        hint="Times the prices of the models without prices of their own. 0.9 is ten percent less."
        defaultValue={fieldText(entry.factor)}
        problem={problemAt(problems, ["plans", at, "factor"])?.message}
        autoComplete="off"
      />
      <PlanPriceFields {...{ prices, models, problems }} onChange={setPrices} />
      <OtherProblem problems={others} shown={["factor"]} />
    </CallForm>
  );
}

/** Returns the pattern of a name that no plan has. */
function freeNames({ document: { plans } }: DraftEditing): string {
  const named = [...plans.keys()].filter((name) => /^[a-z0-9_-]+$/.test(name));
  const taken = ["none", ...named].map((name) => `(?!${name}$)`);
  return `${taken.join("")}[a-z0-9][a-z0-9_\\-]{0,63}`;
}
