/** Epoch milliseconds, both ends included. */
export type Window = { readonly from: number; readonly to: number }
