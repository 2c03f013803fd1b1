import type { Stack, TestAccount } from "../stack.ts";
import type { BegunCall } from "./begin-call.ts";
import type { Cell } from "./matrix.ts";

/** Begins the call of a cell, and ends it. Resolves once it has ended for the client. */
export type EndCall = (stack: Stack, account: TestAccount, cell: Cell) => Promise<BegunCall>;
