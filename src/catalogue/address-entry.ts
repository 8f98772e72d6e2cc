import type { CheckType } from '../checks/define.ts'

type Entry = Readonly<Record<string, unknown>>

/** Guesses a check from an address, as an entry of `checks:`. A bare host name becomes the check of a website. */
export function entryOfAddress(text: string, checkTypes: readonly CheckType[]): { readonly entry: Entry } | { readonly fault: string } {
  const address = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || url.hostname === '')
    return { fault: `${text} is not an address such as https://example.com or tcp://db.example.com:5432.` }
  const [entry] = checkTypes.flatMap(({ type, fromAddress }) => {
    const settings = fromAddress?.(url)
    return settings === undefined ? [] : [{ name: url.host, type, frequency: '1m', ...settings }]
  })
  if (entry) return { entry }
  return {
    fault: `${url.protocol}// cannot be checked by address alone. Supported: https, http, tcp with a port, ping and dns.`,
  }
}
