import { CopyButton } from "./copy-button.tsx";
import { Icon } from "./icons.tsx";

/** A secret that is shown once. `what` is its name for people, such as "key". */
export function SecretText({ text, what }: { text: string; what: string }) {
  return (
    <>
      <div className="secret">
        <code data-secret="">{text}</code>
        <CopyButton text={text} what={what} />
      </div>
      <OnceNotice what={what} />
    </>
  );
}

/** Says that a secret is shown once. */
export function OnceNotice({ what }: { what: string }) {
  return (
    <div className="notice">
      <Icon name="alert" />
      <span>Copy the {what} now. What is shown here is not stored, and cannot be shown again.</span>
    </div>
  );
}
