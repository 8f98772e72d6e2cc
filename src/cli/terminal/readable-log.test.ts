import { pino } from 'pino'
import { expect, test } from 'vitest'
import { readableLine } from './readable-log.ts'

function shown(write: (log: ReturnType<typeof pino>) => void): string {
  const lines: string[] = []
  write(
    pino(
      { level: 'debug', formatters: { level: (level) => ({ level }) } },
      { write: (line: string) => void lines.push(readableLine(line)) },
    ),
  )
  return lines.join('').replace(/^\d\d:\d\d:\d\d /gm, '')
}

test('a line has its level, its message and its fields', () => {
  expect(shown((log) => log.info({ checks: 3, url: '/v1/checks?limit=1', name: 'a b' }, 'It has started.'))).toBe(
    'info  It has started. checks=3 url=/v1/checks?limit=1 name="a b"\n',
  )
  expect(shown((log) => log.debug('plain'))).toBe('debug plain\n')
})

test('an error is shown with its stack', () => {
  expect(shown((log) => log.error({ err: new RangeError('too far') }, 'It failed.'))).toMatch(
    /^error It failed\.\n {2}RangeError: too far\n {2} {4}at /,
  )
})

test('control characters are escaped', () => {
  expect(shown((log) => log.warn({ path: '\u001b[31m' }, 'sent \u001b]0;x\u0007'))).toBe(
    'warn  sent \\u001b]0;x\\u0007 path="\\u001b[31m"\n',
  )
})
