import { Admission } from "@tollgate/proto/tollgate/v1/caller";

export type AdmissionName = "likely" | "strict" | "whole";

/** The admission policies, by the names that the operator uses. */
export const admissions: Readonly<Record<AdmissionName, Admission>> = {
  likely: Admission.LIKELY,
  strict: Admission.STRICT,
  whole: Admission.WHOLE,
};
