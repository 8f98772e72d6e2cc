/** What a calendar shows at a time, and until when, exclusive, it shows that. */
export type Stretch = { readonly value: number; readonly until: number }
