import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { Choice } from "./form.tsx";

/** Chooses the plan of an account among those of the catalog, and its present one. */
export function PlanChoice({ present }: { present: string }) {
  const plans = useQuery(OperatorService.method.listModels, {}).data?.plans;
  if (plans === undefined) return <input type="hidden" name="plan" value={present} />;
  const names = plans.includes(present) || present === "" ? plans : [...plans, present];
  return (
    <Choice
      label="Plan"
      name="plan"
      options={[["", "None: the list prices"], ...names.map((name) => [name, name] as const)]}
      defaultValue={present}
    />
  );
}
