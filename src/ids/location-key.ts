export type LocationRef = { readonly account: string; readonly location: string }

/** A location of an account as one text. */
export const locationKey = ({ account, location }: LocationRef) => JSON.stringify([account, location])
