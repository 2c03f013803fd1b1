import { messagesErrorForm } from "./error-form.ts";
import { betaQuery } from "./schema.ts";

/** The rules of routes that Anthropic's clients call. */
export const messagesRules = {
  auth: "key in either header",
  query: betaQuery,
  errorForm: messagesErrorForm,
} as const;
