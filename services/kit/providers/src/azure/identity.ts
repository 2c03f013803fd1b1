import type { IdentitySource } from "@tollgate/catalog/identity";
import { isHttpsHost } from "../https-host.ts";

const vendorHost = /^[a-z0-9-]+\.(openai|cognitiveservices|services\.ai)\.azure\.(com|us|cn)$/;
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Access tokens of Microsoft Entra ID: of a client secret in the environment, a workload identity, or a
 * managed identity.
 */
export const entraIdentity: IdentitySource = {
  settings: {
    client_id: { pattern: guid, described: "the client id of an identity, which is a UUID" },
    tenant_id: { pattern: guid, described: "the id of a tenant, which is a UUID" },
  },
  // A provider without a key may be one that needs none, at any address.
  isDefault: () => false,
  isVendorAddress: (url) => isHttpsHost(url, vendorHost),
  variables: {
    owner: "Azure",
    pattern: /^(AZURE_CLIENT_SECRET|IDENTITY_HEADER)$/,
  },
  load: async () => (await import("./entra-grant.ts")).readEntraGrant,
};
