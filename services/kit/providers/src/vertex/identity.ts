import type { IdentitySource } from "@tollgate/catalog/identity";
import { isHttpsHost } from "../https-host.ts";

const vendorHost =
  /^([a-z0-9-]+-)?aiplatform\.googleapis\.com$|^aiplatform\.(us|eu)\.rep\.googleapis\.com$/;

/**
 * Access tokens of Google Cloud's Application Default Credentials: a file, as of workload identity federation
 * or a service account, or the metadata server, as of Workload Identity on GKE. A service account may be
 * impersonated with them.
 */
export const googleIdentity: IdentitySource = {
  settings: {
    impersonate: {
      pattern: /^[a-z0-9][a-z0-9-]*@[a-z0-9.-]+\.gserviceaccount\.com$/,
      described: "a service account, such as tollgate@project.iam.gserviceaccount.com",
    },
  },
  isDefault: () => true,
  isVendorAddress: (url) => isHttpsHost(url, vendorHost),
  load: async () => (await import("./google-grant.ts")).readGoogleGrant,
};
