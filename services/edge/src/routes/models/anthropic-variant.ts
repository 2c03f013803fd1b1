import { messagesErrorForm } from "../messages/error-form.ts";
import type { ApiVariant, QueryParameter } from "../route-rules.ts";
import { defaultPageSize, maxPageSize } from "./anthropic-list.ts";
import { versionHeader } from "./anthropic-schema.ts";

/** Anthropic's clients add `?beta=true` to requests of their beta namespace. */
const beta: QueryParameter = {
  name: "beta",
  description: `Accepted with \`${versionHeader}\`.`,
  schema: { type: "string" },
};

const listQuery: readonly QueryParameter[] = [
  {
    name: "limit",
    description: `With \`${versionHeader}\`: the page size.`,
    schema: { type: "integer", minimum: 1, maximum: maxPageSize, default: defaultPageSize },
  },
  {
    name: "after_id",
    description: `With \`${versionHeader}\`: the page after this model.`,
    schema: { type: "string" },
  },
  {
    name: "before_id",
    description: `With \`${versionHeader}\`: the page before this model.`,
    schema: { type: "string" },
  },
  beta,
];

/** How clients of Anthropic's API are served the list of models. */
export const anthropicList: ApiVariant = {
  header: versionHeader,
  query: listQuery,
  errorForm: messagesErrorForm,
};

/** How they are served one model. */
export const anthropicModel: ApiVariant = { ...anthropicList, query: [beta] };
