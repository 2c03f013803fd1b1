/** What the codes of Node and OpenSSL say of the certificate of a provider, for operators. */
const faults: readonly (readonly [code: RegExp, fault: string])[] = [
  [/^CERT_HAS_EXPIRED$/, "the provider's certificate has expired"],
  [/^CERT_NOT_YET_VALID$/, "the provider's certificate is not valid yet"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "the provider's certificate is for another host"],
  [
    /SELF_SIGNED|^UNABLE_TO_(VERIFY|GET_ISSUER)|^CERT_(SIGNATURE_FAILURE|UNTRUSTED)$/,
    "the gateway does not trust the authority of the provider's certificate",
  ],
];

/** Returns what is wrong with a certificate by the code of a failed connection; undefined for another failure. */
export function certificateFault(code: string): string | undefined {
  return faults.find(([pattern]) => pattern.test(code))?.[1];
}
