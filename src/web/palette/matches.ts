export type PaletteTarget = {
  readonly kind: 'Check' | 'Tag' | 'View'
  readonly label: string
  /** Additional searchable words, shown next to the label. */
  readonly detail: string
  readonly href: string
}

const mostShown = 30

/** Targets that contain all words of the text. Labels that start with the text come first, then those with a word that does. */
export function matching(targets: readonly PaletteTarget[], text: string): PaletteTarget[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = targets.flatMap((target) => {
    const searched = `${target.label} ${target.detail}`.toLowerCase()
    return words.every((word) => searched.includes(word)) ? [{ target, rank: rankOf(target, words.join(' ')) }] : []
  })
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, mostShown)
    .map(({ target }) => target)
}

function rankOf({ label }: PaletteTarget, text: string): number {
  const name = label.toLowerCase()
  if (name.startsWith(text)) return 0
  if (name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(text))) return 1
  return name.includes(text) ? 2 : 3
}
