/**
 * The size of a regular expression in RE2 syntax with its counted repeats written out: `x{1000}` counts 1000, since it compiles to as many
 * instructions. An upper bound, without compiling. Character classes that are slow to compile count as the time they take.
 */
export function patternSize(pattern: string): number {
  const isCaseless = /\(\?[a-zA-Z-]*i/.test(pattern)
  const groups: Group[] = [{ size: 0, last: 0 }]
  let classes = 0
  for (let at = 0; at < pattern.length; ) {
    const group = groups.at(-1) ?? { size: 0, last: 0 }
    const token = tokenAt(pattern, at)
    at += token.length
    if (token.kind === 'open') groups.push({ size: 1, last: 0 })
    else if (token.kind === 'close') close(groups)
    else if (token.kind === 'repeat') repeat(group, token.times)
    else if (token.kind === 'part') append(group, token.size)
    else group.size += token.length
    if (token.kind === 'part') classes += token.classSize(isCaseless)
  }
  return classes + groups.reduce((sum, { size }) => sum + size, 0)
}

/** A group whose end is not reached yet: its size, and that of its last part, which a repeat applies to. */
type Group = { size: number; last: number }

type Token = { readonly length: number } & (
  | { readonly kind: 'open' | 'close' | 'flags' }
  | { readonly kind: 'repeat'; readonly times: number }
  | { readonly kind: 'part'; readonly size: number; readonly classSize: (isCaseless: boolean) => number }
)

function append(group: Group, size: number): void {
  group.size += size
  group.last = size
}

function close(groups: Group[]): void {
  const closed = groups.length > 1 ? groups.pop() : undefined
  const group = groups.at(-1)
  if (group) append(group, (closed?.size ?? 0) + 1)
}

function repeat(group: Group, times: number): void {
  const repeated = group.last * times + 1
  group.size += repeated - group.last
  group.last = repeated
}

/** What the sizes are in: one instruction takes about as long to compile as this many code points of a range without case. */
const codePointsPerUnit = 100
const unicodeClassSize = 50
const classSize = 5

function tokenAt(pattern: string, at: number): Token {
  const character = pattern[at]
  if (character === '\\') return escapeAt(pattern, at)
  if (character === '[') return classAt(pattern, at)
  if (character === ')') return { kind: 'close', length: 1 }
  if (character === '(') return openingAt(pattern, at)
  if (character === '{') return repeatAt(pattern, at)
  if (character === '*' || character === '+' || character === '?') return { kind: 'repeat', times: 1, length: 1 }
  return literal(1)
}

/** Flags such as `(?i)` are no part: a repeat after them applies to what is before them. */
function openingAt(pattern: string, at: number): Token {
  const [flags] = stickyMatch(/\(\?[a-zA-Z-]*\)/y, pattern, at)
  if (flags !== undefined) return { kind: 'flags', length: flags.length }
  return { kind: 'open', length: stickyMatch(/\(\??:?/y, pattern, at)[0]?.length ?? 1 }
}

function repeatAt(pattern: string, at: number): Token {
  const [text, min, max] = stickyMatch(/\{([0-9]+)(?:,([0-9]*))?\}/y, pattern, at)
  return text === undefined ? literal(1) : { kind: 'repeat', times: Math.max(1, Number(min), Number(max || 0)), length: text.length }
}

function escapeAt(pattern: string, at: number): Token {
  if (pattern.startsWith('\\Q', at)) {
    const end = pattern.indexOf('\\E', at)
    return literal((end < 0 ? pattern.length : end + 2) - at)
  }
  const size = escapedClassSize(pattern, at)
  return { kind: 'part', size: 1, length: characterAt(pattern, at).length, classSize: () => size }
}

function literal(length: number): Token {
  return { kind: 'part', size: length, length, classSize: () => 0 }
}

/** A class in brackets. Ignoring case, each code point of its ranges is looked up. */
function classAt(pattern: string, from: number): Token {
  const first = from + (pattern.startsWith('[^', from) ? 2 : 1)
  let [at, size, span] = [first, classSize, 0]
  while (at < pattern.length && (at === first || pattern[at] !== ']')) {
    const item = classItemAt(pattern, at)
    at += item.length
    size += item.size
    span += item.span
  }
  const ofRanges = Math.ceil(span / codePointsPerUnit)
  return { kind: 'part', size: 1, length: at + 1 - from, classSize: (isCaseless) => size + (isCaseless ? ofRanges : 0) }
}

type ClassItem = { readonly length: number; readonly size: number; readonly span: number }

/** A named class, a character or a range. */
function classItemAt(pattern: string, at: number): ClassItem {
  const named = pattern.startsWith('[:', at) ? pattern.indexOf(':]', at) : -1
  if (named >= 0) return { length: named + 2 - at, size: classSize, span: 0 }
  const low = characterAt(pattern, at)
  const size = escapedClassSize(pattern, at)
  const dash = at + low.length
  if (size > 0 || pattern[dash] !== '-' || pattern[dash + 1] === ']') return { length: low.length, size, span: 0 }
  const high = characterAt(pattern, dash + 1)
  return { length: low.length + 1 + high.length, size, span: spanWithCase(low.code, high.code) }
}

/** Code points outside of this range have no case. */
const [firstWithCase, lastWithCase] = [0x41, 0x1e943]

function spanWithCase(low: number, high: number): number {
  return Math.max(0, Math.min(high, lastWithCase) - Math.max(low, firstWithCase))
}

/** Of an escape such as `\d` or `\pL`; 0 for other characters. */
function escapedClassSize(pattern: string, at: number): number {
  if (pattern[at] !== '\\') return 0
  if (/[pP]/.test(pattern[at + 1] ?? '')) return unicodeClassSize
  return /[dDsSwW]/.test(pattern[at + 1] ?? '') ? classSize : 0
}

type Character = { readonly code: number; readonly length: number }

/** A character or an escape. The code of escapes without one in hexadecimal is that of the character after the backslash. */
function characterAt(pattern: string, at: number): Character {
  const [text, inBraces, two] = stickyMatch(/\\x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))|\\[pP](?:\{[^}]*\}|.)/suy, pattern, at)
  if (text !== undefined) return { code: Number.parseInt(inBraces ?? two ?? '0', 16), length: text.length }
  const skipped = pattern[at] === '\\' ? 1 : 0
  const code = pattern.codePointAt(at + skipped) ?? 0
  return { code, length: skipped + (code > 0xffff ? 2 : 1) }
}

function stickyMatch(grammar: RegExp, text: string, at: number): readonly (string | undefined)[] {
  grammar.lastIndex = at
  return grammar.exec(text) ?? []
}
