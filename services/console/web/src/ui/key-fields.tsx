import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Key } from "@tollgate/proto/tollgate/v1/operator";
import { Field } from "./form.tsx";
import { EndUserLimitsFields, LimitsFields } from "./limits-fields.tsx";

/** The fields of a key that can be changed later. */
export function KeyFields({ of: key }: { of?: Key }) {
  const expiry = key?.expiresAt && timestampDate(key.expiresAt).toISOString().slice(0, 16);
  return (
    <>
      <Field label="Name" name="name" defaultValue={key?.name ?? ""} autoComplete="off" />
      <Field
        label="Owner"
        name="owner"
        defaultValue={key?.owner ?? ""}
        autoComplete="off"
        hint="Who is responsible for it: a person, a team or a program."
      />
      <Field
        label="Models"
        name="models"
        defaultValue={key?.models.join(", ") ?? ""}
        placeholder="All public models"
        autoComplete="off"
        hint="Aliases, separated by commas. * stands for any characters: gpt-5*, embed-large."
      />
      <Field
        label="Tags"
        name="tags"
        defaultValue={key?.tags.join(", ") ?? ""}
        autoComplete="off"
        hint="Separated by commas."
      />
      <Field
        label="Expires (UTC)"
        name="expires"
        type="datetime-local"
        defaultValue={expiry ?? ""}
      />
      <LimitsFields limits={key?.limits?.limits} />
      <EndUserLimitsFields limits={key?.limits?.limits} />
    </>
  );
}

/** Returns the members of a text that commas separate. */
export function splitList(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** Returns the instant (UTC) of a field; undefined where it is empty. */
export function expiryOf(text: string): Timestamp | undefined {
  return text === "" ? undefined : timestampFromDate(new Date(`${text}Z`));
}
