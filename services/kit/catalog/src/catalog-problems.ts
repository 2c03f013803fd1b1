import { StartError } from "@tollgate/core/errors";

/** More errors than a person mends at a time. */
const maxProblems = 100;

/** The error of a catalog that is not valid. Its message is the first of its problems. */
export class CatalogError extends StartError {
  /** One at least, each with its path: `models[2] (acme-large).pricing.input: must be …`. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems[0] ?? "the catalog is not valid");
    this.problems = [...new Set(problems)].slice(0, maxProblems);
  }
}

/** Returns all problems of a catalog that a StartError names. */
export function problemsOfCatalog(error: StartError): readonly string[] {
  return error instanceof CatalogError ? error.problems : [error.message];
}

/** Collects the problems of parts of a catalog, so that the first one does not hide the others. */
export class CatalogProblems {
  readonly #messages: string[] = [];

  /** Returns what `read` returns. A StartError that it throws is a problem, and undefined is returned. */
  attempt<Part>(read: () => Part): Part | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      this.#messages.push(...problemsOfCatalog(error));
      return undefined;
    }
  }

  /** Throws a CatalogError if there are problems. */
  throwAny(): void {
    if (this.#messages.length > 0) throw new CatalogError(this.#messages);
  }
}
