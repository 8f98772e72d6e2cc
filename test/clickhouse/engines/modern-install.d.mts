export type Ended = {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly error?: NodeJS.ErrnoException | undefined
  readonly stderr: string
}
export type Prepared = { readonly name: string } | { readonly missing: string }
export function prepareModern(): Prepared
export function failureOf(ended: Ended): string | null
