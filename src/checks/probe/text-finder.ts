type TextRange = { readonly start: number; readonly end: number }

type FinderOptions = { readonly minLength: number }

/**
 * Finds any number of texts in a longer one in a single pass: at each position the longest match. Overlapping matches become one range.
 * Texts shorter than `minLength` characters are ignored.
 */
export function textFinder(texts: readonly string[], { minLength }: FinderOptions): (text: string) => readonly TextRange[] {
  const sorted = [...new Set(texts)].filter((one) => one.length >= minLength).sort(byCharacters)
  if (sorted.length === 0) return () => []
  const beginnings = new Set(sorted.map((one) => one.slice(0, minLength)))
  const within = enclosing(sorted)
  const longest = sorted.reduce((length, one) => Math.max(length, one.length), 0)

  /** The length of the longest match at `start`. In sort order, it is the last text up to `rest`, or a prefix of that text. */
  function lengthAt(text: string, start: number): number {
    if (!beginnings.has(text.slice(start, start + minLength))) return 0
    const rest = text.slice(start, start + longest)
    let index = lastUpTo(sorted, rest)
    const shared = sharedLength(sorted[index] ?? '', rest)
    while (index >= 0 && (sorted[index]?.length ?? 0) > shared) index = within[index] ?? -1
    return sorted[index]?.length ?? 0
  }

  return (text) => {
    const spans: TextRange[] = []
    for (let start = 0; start + minLength <= text.length; start++) {
      const length = lengthAt(text, start)
      const last = spans.at(-1)
      if (length === 0) continue
      if (last && start < last.end) spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, start + length) }
      else spans.push({ start, end: start + length })
    }
    return spans
  }
}

const byCharacters = (one: string, other: string) => (one < other ? -1 : Number(one > other))

/** For each of the sorted texts, the index of the longest other one that is its prefix; -1 for none. */
function enclosing(sorted: readonly string[]): readonly number[] {
  const open: number[] = []
  return sorted.map((text, index) => {
    while (open.length > 0 && !text.startsWith(sorted[open.at(-1) ?? 0] ?? '')) open.pop()
    const found = open.at(-1) ?? -1
    open.push(index)
    return found
  })
}

/** The index of the last text that does not sort after this one; -1 for none. */
function lastUpTo(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') <= text) low = middle + 1
    else high = middle
  }
  return low - 1
}

function sharedLength(one: string, other: string): number {
  const end = Math.min(one.length, other.length)
  let length = 0
  while (length < end && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}
