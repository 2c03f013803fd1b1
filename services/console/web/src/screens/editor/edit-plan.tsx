import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field, type FieldReader } from "../../ui/form.tsx";
import { type DraftEntry, withFields } from "./draft/document.ts";
import { fieldText } from "./draft/model-chain.ts";
import { problemAt, readProblem } from "./draft/problems.ts";
import { catalogOfPlan } from "./draft/tried-catalog.ts";
import { OtherProblem } from "./other-problem.tsx";
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

/** Changes a plan of the draft, or adds one. Prices by model stay as the YAML has them. */
export function EditPlan({ draft, name, entry, isOpen, onClose }: Props) {
  return (
    <Dialog
      title={name === undefined ? "Add a plan" : `Edit the plan ${name}`}
      description="Prices of single models are in the YAML. Accounts get a plan on their own screen."
      isOpen={isOpen}
      onClose={onClose}
    >
      <Form {...{ draft, name, entry, onClose }} />
    </Dialog>
  );
}

function Form({ draft, name, entry, onClose }: Omit<Props, "isOpen">) {
  const check = useEntryCheck();
  const own = draft.problems.filter(({ path }) => path[0] === "plans" && path[1] === name);
  const problems = [...check.problems, ...own];
  const apply = async (values: FieldReader) => {
    const plan = name ?? values("name");
    const changed = { factor: values("factor") || undefined };
    // The models that it has prices for stay out of this check: the draft's own check has them.
    const { models: _, ...others } = entry;
    const text = catalogOfPlan(plan, { ...others, ...changed });
    if (!(await check.passes(text, readProblem))) return;
    draft.change(withFields(draft.text, ["plans", plan], changed));
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
        hint="Times the prices of the models. 0.9 is ten percent less."
        defaultValue={fieldText(entry.factor)}
        problem={problemAt(problems, ["plans", name ?? "", "factor"])?.message}
        autoComplete="off"
      />
      <OtherProblem problems={problems} shown={name === undefined ? [] : ["factor"]} />
    </CallForm>
  );
}

/** Returns the pattern of a name that no plan has. */
function freeNames({ document: { plans } }: DraftEditing): string {
  const named = [...plans.keys()].filter((name) => /^[a-z0-9_-]+$/.test(name));
  const taken = ["none", ...named].map((name) => `(?!${name}$)`);
  return `${taken.join("")}[a-z0-9][a-z0-9_\\-]{0,63}`;
}
