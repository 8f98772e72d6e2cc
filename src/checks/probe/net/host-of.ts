/** The host of a URL, without the brackets of an IPv6 address. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}
