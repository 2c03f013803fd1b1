import { z } from "zod";

/** The name of a stored secret: it stands in commands, logs and the audit log. */
export const secretName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "must be at most 63 of a-z, 0-9, `.`, `_` and `-`");
