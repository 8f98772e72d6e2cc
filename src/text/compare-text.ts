/** Orders text by its UTF-8 bytes, which is code point order. `<` compares UTF-16 units, where surrogates sort before U+E000 to U+FFFF. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const unitA = a.charCodeAt(i)
    const unitB = b.charCodeAt(i)
    if (unitA !== unitB) return weightOf(unitA) - weightOf(unitB)
  }
  return a.length - b.length
}

/** Moves surrogates after all other units. */
function weightOf(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
