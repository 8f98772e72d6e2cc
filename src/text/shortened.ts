const echoedLength = 60

/** Truncates a text that is too long for a message or a log line. */
export function shortened(text: string, maxLength = echoedLength): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…`
}

const maxLineLength = 1000

/** Limits the lines of a message to about 1000 characters. Cuts the middle of a longer one, since the cause is at its end. */
export function shortenedLines(message: string): string {
  const half = maxLineLength / 2
  const lines = message.split('\n')
  return lines.map((line) => (line.length <= maxLineLength ? line : shortened(line, half) + ending(line, half))).join('\n')
}

const ending = (text: string, length: number) => text.slice(-length).replace(/^[\udc00-\udfff]/, '')

/** A caller's value for an error message: shortened, in quotes. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text))
}

const maxValueLength = 500

/** Fills in placeholders such as `{name}`; long values are truncated. */
export function fillIn(message: string, values: Readonly<Record<string, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => shortened(String(values[name] ?? ''), maxValueLength))
}
