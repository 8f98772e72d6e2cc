const hidden = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err'])

/** Formats a JSON line of pino for people: local time, level, message, fields, and the stack of an error. */
export function readableLine(json: string): string {
  const { level, time, msg = '', err, ...rest } = JSON.parse(json) as Entry
  const fields = Object.entries(rest)
    .filter(([name]) => !hidden.has(name))
    .map(([name, value]) => ` ${name}=${fieldText(value)}`)
  const stack = err?.stack === undefined ? '' : `\n${indented(err.stack)}`
  return `${clockTime(time)} ${level.padEnd(5)} ${printable(msg)}${fields.join('')}${stack}\n`
}

type Entry = {
  readonly level: string
  readonly time: number
  readonly msg?: string
  readonly err?: { readonly stack?: string }
  readonly [name: string]: unknown
}

function clockTime(time: number): string {
  const date = new Date(time)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

/** Text without spaces is shown unquoted; everything else as JSON, which escapes control characters. */
function fieldText(value: unknown): string {
  return typeof value === 'string' && /^[\w.,:/?&=%+@•-]+$/.test(value) ? value : JSON.stringify(value)
}

/** Messages may contain client input, whose control characters must not reach the terminal. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, (character) => JSON.stringify(character).slice(1, -1))
}

const indented = (text: string) =>
  printable(text)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
