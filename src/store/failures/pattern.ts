/** Each pattern takes linear time on any text: no attempt can start inside text that a failed attempt has scanned. */
const parts: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>()]+/, '<address>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/, '<id>'],
  [/\[(?=[0-9a-f.]*:)[0-9a-f:.]*\](?::\d{1,5})?/, '<address>'],
  [/(?<![\w:.])(?=[0-9a-f:]*::|(?:[0-9a-f]+:){7})(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/, '<address>'],
  [/(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d{1,5})?(?![\w.]*\d)/, '<address>'],
  [/\b(?:0x[0-9a-f]+|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,})\b/, '<id>'],
  [/(?<![a-z_0-9])\d+(?:[.,]\d+)*/, '#'],
]

const anyPart = new RegExp(parts.map(([part]) => `(${part.source})`).join('|'), 'gi')

/** Replaces numbers, ids and addresses of an error, so that errors of one kind have the same text. */
export function reasonPattern(error: string): string {
  return error.replace(anyPart, (found, ...groups) => parts[groups.findIndex((group) => group !== undefined)]?.[1] ?? found)
}
