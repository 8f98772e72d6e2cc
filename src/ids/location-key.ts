export type LocationRef = { readonly account: string; readonly location: string }

export const locationKey = ({ account, location }: LocationRef) => JSON.stringify([account, location])
