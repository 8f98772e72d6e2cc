/** The key of a check in the store. */
export type CheckRef = { readonly account: string; readonly checkId: string }
