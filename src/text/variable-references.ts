/** `${NAME}`, `${NAME:-default}` and `${file:path}` in texts of definitions; with a second `$` before it, it stands for itself. */
export const variableReferences = /(\$?)\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?|file:([^{}\n]{1,4096}))\}/g

/** The text of a definition that stands for exactly this text. */
export function withoutVariables(text: string): string {
  return text.replace(variableReferences, (whole) => `$${whole}`)
}

/** The reverse of `withoutVariables`. */
export function withLiterals(text: string): string {
  return text.replace(variableReferences, (whole, doubled: string) => (doubled ? whole.slice(1) : whole))
}

/** Whether a text may have a variable. */
export function hasVariable(text: string): boolean {
  return text.includes('$' + '{')
}

/** The same for all texts in a value. */
export function hasVariableWithin(value: unknown): boolean {
  return value !== undefined && hasVariable(JSON.stringify(value))
}

/** The rest of a text without its variables; one with a default stays, since that is written out. */
export function withoutPlainVariables(text: string): string {
  return text.replace(variableReferences, (whole, doubled: string, name?: string, otherwise?: string) =>
    !doubled && name !== undefined && otherwise === undefined ? '' : whole,
  )
}

/** A text with what stands between its variables changed. */
export function changeLiterals(text: string, change: (literal: string) => string): string {
  let [changed, from] = ['', 0]
  for (const found of text.matchAll(variableReferences)) {
    if (found[1]) continue
    changed += change(text.slice(from, found.index)) + found[0]
    from = found.index + found[0].length
  }
  return changed + change(text.slice(from))
}
