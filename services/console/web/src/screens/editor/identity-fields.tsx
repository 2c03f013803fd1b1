import { Field } from "../../ui/form.tsx";
import type { DraftEntry } from "./draft/document.ts";
import { identityField, settingsOf } from "./draft/identity-entry.ts";
import { fieldText } from "./draft/model-chain.ts";
import { identityMembersOf } from "./draft/vendors.ts";

interface Props {
  kind: string;
  entry: DraftEntry;
  problemOf?: (...fields: string[]) => string | undefined;
}

/** Whose credentials a provider is sent, where it has an identity of its cloud. All fields may be empty. */
export function IdentityFields({ kind, entry, problemOf }: Props) {
  const settings = settingsOf(entry.identity);
  return (
    <>
      {identityMembersOf(kind)?.map(({ member, label, example }) => (
        <Field
          key={member}
          label={label}
          name={identityField(member)}
          defaultValue={fieldText(settings[member])}
          placeholder={example}
          hint="Empty: that of the gateway's own processes."
          problem={problemOf?.("identity", member)}
          spellCheck={false}
        />
      ))}
    </>
  );
}
