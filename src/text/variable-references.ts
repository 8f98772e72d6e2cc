/** `${NAME}`, `${NAME:-default}` and `${file:path}` in texts of definitions; a second `$` before it escapes it. */
export const variableReferences = /(\$?)\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?|file:([^{}\n]{1,4096}))\}/g

/** Escapes a text, so that a definition takes it literally. */
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

/** Whether any text in a value may have a variable. */
export function hasVariableWithin(value: unknown): boolean {
  return value !== undefined && hasVariable(JSON.stringify(value))
}

/** Removes each `${NAME}` from a text. A variable with a default stays, since the default is written out. */
export function withoutPlainVariables(text: string): string {
  return text.replace(variableReferences, (whole, doubled: string, name?: string, otherwise?: string) =>
    !doubled && name !== undefined && otherwise === undefined ? '' : whole,
  )
}

/** Applies `change` to the text between variables. */
export function changeLiterals(text: string, change: (literal: string) => string): string {
  let [changed, from] = ['', 0]
  for (const found of text.matchAll(variableReferences)) {
    if (found[1]) continue
    changed += change(text.slice(from, found.index)) + found[0]
    from = found.index + found[0].length
  }
  return changed + change(text.slice(from))
}
