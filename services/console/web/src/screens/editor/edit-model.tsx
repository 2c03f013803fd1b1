import { useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Choice, Field, type FieldReader } from "../../ui/form.tsx";
import { ChainFields } from "./chain-fields.tsx";
import { type DraftEntry, toEntry, withFields, withModel } from "./draft/document.ts";
import { type ChainSlot, fieldText, slotsOf } from "./draft/model-chain.ts";
import { type DraftProblem, problemAt, readProblem } from "./draft/problems.ts";
import { routeForms } from "./draft/route-fields.ts";
import { catalogOfModel } from "./draft/tried-catalog.ts";
import { OtherProblem } from "./other-problem.tsx";
import { PriceFields, readPrices } from "./price-fields.tsx";
import type { DraftEditing } from "./use-draft.ts";
import { useEntryCheck } from "./use-entry-check.ts";

interface Props {
  draft: DraftEditing;
  model: DraftEntry;
  /** Undefined: a new one. */
  index: number | undefined;
  isOpen: boolean;
  onClose: () => void;
}

/** Changes a model of the draft, or adds one. What has no field stays as the YAML has it. */
export function EditModel({ draft, model, index, isOpen, onClose }: Props) {
  return (
    <Dialog
      title={index === undefined ? "Add a model" : `Edit ${fieldText(model.alias)}`}
      description="Other settings, such as retries and prices of long prompts, are in the YAML."
      isOpen={isOpen}
      isWide
      onClose={onClose}
    >
      <Form {...{ draft, model, index, onClose }} />
    </Dialog>
  );
}

function Form({ draft, model, index, onClose }: Omit<Props, "isOpen">) {
  const [routeType, setRouteType] = useState(fieldText(model.route_type) || "chat");
  const [slots, setSlots] = useState<readonly ChainSlot[]>(() =>
    index === undefined ? [firstSlot(draft)] : slotsOf(model),
  );
  const check = useEntryCheck();
  const at = index ?? -1;
  const problems = [...check.problems, ...problemsOf(draft, at)];
  const problemOf = (...fields: (string | number)[]) =>
    problemAt(problems, ["models", at, ...fields])?.message;
  const route = routeForms[routeType];

  const apply = async (values: FieldReader) => {
    const changed: DraftEntry = {
      alias: values("alias"),
      route_type: routeType,
      visibility: visibilityOf(values("visibility"), model),
      ...routeFieldsOf(values, routeType),
      pricing: readPrices(values, routeType, routeType === model.route_type ? model.pricing : {}),
      chain: slots.map(({ provider, model: name, entry }) => ({ ...entry, provider, model: name })),
    };
    // The check has one model, which stands at another place than in the draft.
    const readAt = (error: string): DraftProblem => {
      const { message, path } = readProblem(error);
      return { message, path: path[0] === "models" ? ["models", at, ...path.slice(2)] : path };
    };
    const text = catalogOfModel(draft.document.providers, { ...model, ...changed });
    if (!(await check.passes(text, readAt))) return;
    const next =
      index === undefined
        ? withModel(draft.text, changed)
        : withFields(draft.text, ["models", index], changed);
    draft.change(next);
    onClose();
  };
  return (
    <CallForm
      submit={index === undefined ? "Add to the draft" : "Change the draft"}
      isBusy={check.isPending}
      error={check.error}
      onSubmit={(values) => void apply(values)}
      onCancel={onClose}
    >
      <HeadFields
        {...{ model, routeType, problemOf }}
        onRoute={index === undefined ? setRouteType : undefined}
      />
      <RouteFields routeType={routeType} model={model} problemOf={problemOf} />
      <PriceFields
        key={routeType}
        routeType={routeType}
        pricing={routeType === model.route_type ? model.pricing : undefined}
        problemOf={(name) => problemOf("pricing", name)}
      />
      <ChainFields
        slots={slots}
        providers={[...draft.document.providers.keys()]}
        routeType={routeType}
        per={perOf(routeType, model)}
        onChange={setSlots}
        problemOf={(slot, ...fields) => problemOf("chain", slot, ...fields)}
      />
      <OtherProblem
        problems={problems}
        shown={["alias", "route_type", "visibility", "pricing", "chain", ...namesOf(route)]}
      />
    </CallForm>
  );
}

interface HeadProps {
  model: DraftEntry;
  routeType: string;
  /** Undefined: the route stays. */
  onRoute: ((routeType: string) => void) | undefined;
  problemOf: (field: string) => string | undefined;
}

function HeadFields({ model, routeType, onRoute, problemOf }: HeadProps) {
  return (
    <div className="field-row">
      <Field
        label="Alias, for clients"
        name="alias"
        required
        maxLength={128}
        defaultValue={fieldText(model.alias)}
        problem={problemOf("alias")}
        spellCheck={false}
        autoComplete="off"
      />
      <Choice
        label="Route"
        options={Object.keys(routeForms).map((type) => [type, type])}
        value={routeType}
        disabled={onRoute === undefined}
        problem={problemOf("route_type")}
        onChange={(event) => onRoute?.(event.target.value)}
      />
      <Choice
        label="Listed"
        name="visibility"
        options={visibilities}
        defaultValue={fieldText(model.visibility) || "public"}
        problem={problemOf("visibility")}
      />
    </div>
  );
}

interface RouteProps {
  routeType: string;
  model: DraftEntry;
  problemOf: (field: string) => string | undefined;
}

function RouteFields({ routeType, model, problemOf }: RouteProps) {
  const fields = routeForms[routeType]?.fields ?? [];
  if (fields.length === 0) return null;
  return (
    <div className="field-row">
      {fields.map(({ name, label, options, isRequired }) =>
        options === undefined ? (
          <Field
            key={name}
            {...{ name, label }}
            type="number"
            min={1}
            required={isRequired}
            defaultValue={fieldText(model[name])}
            problem={problemOf(name)}
          />
        ) : (
          <Choice
            key={name}
            {...{ name, label }}
            options={options.map((one) => [one, one])}
            defaultValue={fieldText(model[name]) || options[0]}
            problem={problemOf(name)}
          />
        ),
      )}
    </div>
  );
}

const visibilities = [
  ["public", "for all keys"],
  ["unlisted", "for keys that name it"],
  ["internal", "for the gateway alone"],
] as const;

/** The default is not written where it was not. */
function visibilityOf(chosen: string, model: DraftEntry): string | undefined {
  return chosen === "public" && model.visibility === undefined ? undefined : chosen;
}

function routeFieldsOf(values: FieldReader, routeType: string): DraftEntry {
  const fields = routeForms[routeType]?.fields ?? [];
  const read = fields.map(({ name, options }) => {
    const text = values(name);
    const value = options === undefined ? Number(text) : text;
    return [name, text === "" ? undefined : value] as const;
  });
  return Object.fromEntries(read);
}

/** A new cost is for as many units as the prices of the model. */
function perOf(routeType: string, { pricing }: DraftEntry): number | undefined {
  if (routeForms[routeType]?.hasDefaultPer) return undefined;
  return Number(toEntry(pricing).per ?? 1);
}

function namesOf(route: (typeof routeForms)[string] | undefined): string[] {
  return route?.fields.map(({ name }) => name) ?? [];
}

function problemsOf({ problems }: DraftEditing, index: number) {
  return problems.filter(({ path }) => path[0] === "models" && path[1] === index);
}

function firstSlot({ document }: DraftEditing): ChainSlot {
  const [provider = ""] = document.providers.keys();
  return { provider, model: "", entry: {} };
}
