import { invalidParam, unknownParam } from "@tollgate/core/errors";

/** The most that the files of an upload may have together. */
export const maxUploadBytes = 25 * 1024 * 1024;

/** One field of a form, or one file. */
export type FormPart =
  | { kind: "field"; name: string; value: string }
  /** A field of more than a field may have: its value is not kept. */
  | { kind: "oversized"; name: string }
  | { kind: "file"; name: string; contentType: string };

/** What a multipart route takes, by the names of its fields; it is checked in their order. */
export type Form = Readonly<Record<string, FileField | TextField>>;

export interface FileField {
  readonly kind: "file";
  readonly about: string;
  /** Whether more than one file may come under the name. */
  readonly many?: true;
}

export interface TextField {
  readonly kind: "text";
  readonly about: string;
  /** A required text is not empty either. */
  readonly required?: true;
  /** A text that is not used may have any length. */
  readonly dropped?: true;
  /** The only values that are taken, where not any is. */
  readonly options?: readonly string[];
}

export interface FormFile {
  contentType: string;
}

/** The values of a form that was checked. */
export type FormValues<Fields extends Form> = {
  [Name in keyof Fields]: Fields[Name] extends FileField
    ? readonly [FormFile, ...FormFile[]]
    : Fields[Name] extends { required: true }
      ? string
      : string | undefined;
};

/**
 * Reads the parts of a form by its table. Raises `unknown_param` for a part that the form does not
 * take, and `invalid_param` for the first field that is missing or bad.
 */
export function readForm<const Fields extends Form>(
  parts: readonly FormPart[],
  fields: Fields,
): FormValues<Fields> {
  refuseUnknownParts(parts, fields);
  const values = Object.entries(fields).map(([name, field]) => {
    const named = parts.filter((part) => part.name === name);
    return [name, field.kind === "file" ? filesOf(named, name, field) : textOf(named, name, field)];
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
  if (files.length > 1 && many === undefined) throw invalidParam(name, "must come once");
  return files;
}

function textOf(
  [part, ...others]: readonly FormPart[],
  name: string,
  { required, dropped, options }: TextField,
): string | undefined {
  if (others.length > 0) throw invalidParam(name, "must come once");
  if (part?.kind === "file") throw invalidParam(name, "must be a text, not a file");
  if (part?.kind === "oversized") {
    if (dropped) return undefined;
    throw invalidParam(name, "is too long");
  }
  const value = part?.value;
  if (required && value === undefined) throw invalidParam(name, "is required");
  if (required && value === "") throw invalidParam(name, "must not be empty");
  if (value === undefined || options === undefined || options.includes(value)) return value;
  const named = options.filter((option) => option !== "");
  throw invalidParam(name, `must be ${named.join(" or ")}`);
}
