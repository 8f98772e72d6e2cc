/** The key of a check in the store. */
export type CheckRef = { readonly account: string; readonly checkId: string }

/** Both ids as one text, which is JSON since their grammar needs no escapes. It must not change: slots and the demo hash it. */
export function checkKey({ account, checkId }: CheckRef): string {
  return `["${account}","${checkId}"]`
}
