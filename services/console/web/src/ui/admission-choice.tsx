import { Choice } from "./form.tsx";

const options = [
  ["", "The gateway's policy"],
  ["likely", "Likely: holds what a chat request is likely to cost"],
  ["strict", "Strict: holds the most that it can cost, or what there is"],
  ["whole", "Whole: refuses where less than the most is there"],
] as const;

/** Chooses the admission policy of an account. */
export function AdmissionChoice({ present }: { present: string }) {
  return <Choice label="Admission" name="admission" options={options} defaultValue={present} />;
}
