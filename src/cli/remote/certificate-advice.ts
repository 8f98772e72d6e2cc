const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Advice as a sentence if the server's certificate was rejected; null for other errors. */
export function certificateAdvice(error: unknown): string | null {
  const code = codeOf(error)
  if (untrusted.has(code))
    return `Its certificate (${code}) is self-signed or issued by an unknown authority. Trust it with: NODE_EXTRA_CA_CERTS=ca.pem tidemark ...`
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `Its certificate is expired or not yet valid (${code}). Renew it, or correct the clock.`
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? `Its certificate is for another host name (${code}). Use that name in the address.`
    : null
}

/** The code of the innermost cause. */
function codeOf(error: unknown): string {
  const { cause, code } = error as { readonly cause?: unknown; readonly code?: unknown }
  return cause instanceof Error ? codeOf(cause) : String(code ?? '')
}
