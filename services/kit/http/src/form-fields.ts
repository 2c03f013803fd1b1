import { invalidParam, unknownParam } from "@tollgate/core/errors";
import { listValues } from "@tollgate/core/schema-errors";

/** The limit for all files of an upload together. */
export const maxUploadBytes = 25 * 1024 * 1024;
/** The limit for a form: its files, and 1 MiB for everything else. */
export const maxFormBytes = maxUploadBytes + 1024 * 1024;
/** The limit for the value of a field. */
export const maxFieldBytes = 64 * 1024;

/** One field of a form, or one file. */
export type FormPart =
  | { kind: "field"; name: string; value: string }
  /** A field over the size limit. Its value is dropped. */
  | { kind: "oversized"; name: string }
  | ({ kind: "file"; name: string } & FormFile);

/** The fields that a multipart route takes, by name. They are checked in this order. */
export type Form = Readonly<Record<string, FileField | TextField>>;

export interface FileField {
  readonly kind: "file";
  readonly about: string;
  /** Whether several files may have this name. */
  readonly many?: true;
}

export interface TextField {
  readonly kind: "text";
  readonly about: string;
  /** A required text must not be empty. */
  readonly required?: true;
  /** The text is accepted and not used; it may have any length. */
  readonly dropped?: true;
  /** The values that are accepted; any value where there are none. */
  readonly options?: readonly string[];
  /** Whether several texts may have this name. */
  readonly many?: true;
}

export interface FormFile {
  contentType: string;
  /** The name of the file, without a path; empty where the part has none. */
  fileName: string;
  /** Where its contents begin in the body of the form, in bytes. */
  offset: number;
}

/** The values of a valid form. */
export type FormValues<Fields extends Form> = {
  [Name in keyof Fields]: Fields[Name] extends FileField
    ? readonly [FormFile, ...FormFile[]]
    : Fields[Name] extends { many: true }
      ? readonly string[]
      : Fields[Name] extends { required: true }
        ? string
        : string | undefined;
};

/**
 * Returns the values of a form. Throws `unknown_param` for a part that the form does not take, and
 * `invalid_param` for the first field that is missing or not valid.
 */
export function readForm<const Fields extends Form>(
  parts: readonly FormPart[],
  fields: Fields,
): FormValues<Fields> {
  refuseUnknownParts(parts, fields);
  const values = Object.entries(fields).map(([name, field]) => {
    const named = parts.filter((part) => part.name === name);
    return [
      name,
      field.kind === "file" ? filesOf(named, name, field) : textsOf(named, name, field),
    ];
  });
  return Object.fromEntries(values) as FormValues<Fields>;
}

function refuseUnknownParts(parts: readonly FormPart[], fields: Form): void {
  const unknown = parts.find(({ name }) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) throw unknownParam(unknown.name);
}

function filesOf(parts: readonly FormPart[], name: string, { many }: FileField): FormFile[] {
  if (parts.length === 0) throw invalidParam(name, "is required");
  const files = parts.map((part) => {
    if (part.kind === "file") return part;
    throw invalidParam(name, "must be a file");
  });
  if (files.length > 1 && many === undefined) throw invalidParam(name, "must be sent once");
  return files;
}

function textsOf(parts: readonly FormPart[], name: string, field: TextField) {
  return field.many ? parts.map((part) => textOf([part], name, field)) : textOf(parts, name, field);
}

function textOf(
  [part, ...others]: readonly FormPart[],
  name: string,
  { required, dropped, options }: TextField,
): string | undefined {
  if (others.length > 0) throw invalidParam(name, "must be sent once");
  if (part?.kind === "file") throw invalidParam(name, "must be a text, not a file");
  if (part?.kind === "oversized") {
    if (dropped) return undefined;
    throw invalidParam(name, `must have at most ${maxFieldBytes / 1024} KiB`);
  }
  const value = part?.value;
  if (required && value === undefined) throw invalidParam(name, "is required");
  if (required && value === "") throw invalidParam(name, "must not be empty");
  if (value === undefined || options === undefined || options.includes(value)) return value;
  throw invalidParam(name, `must be ${listValues(options.filter((option) => option !== ""))}`);
}
