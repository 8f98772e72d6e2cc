import { expect, test } from 'vitest'
import { byteReader } from './byte-reader.ts'
import { readValue } from './plain-json.ts'

/** The value at the beginning of a text, and what follows it. */
function read(text: string): { value: unknown; rest: string } {
  const bytes = Buffer.from(text)
  const cursor = byteReader(bytes, 0)
  const value = readValue(cursor)
  return { value, rest: bytes.toString('utf8', cursor.at) }
}

test.each([
  '"eu-west-1"',
  '""',
  '"a \\"quoted\\" text, with } and ü"',
  '"a name of more than twenty letters"',
  '0',
  '-0.25',
  '123.456',
  '0.1234567890123456789',
  '1e3',
  '-1.5E-2',
  'true',
  'false',
  'null',
  '[]',
  '[1, 2]',
  '[{"pageUrl": "/a,b", "LCP": 12.5}, {"pageUrl": "]", "LCP": null}]',
  '{"a": [1, 2]}',
])('%s is read as by JSON.parse, up to the comma or brace after it', (json) => {
  for (const rest of [',"next":1}', '}'] as const) expect(read(json + rest)).toEqual({ value: JSON.parse(json), rest })
})

test.each(['01', '1.', '-', 'tru', 'nul', '[1', '{"a":1', '[[[1]]]', '[1,\n2]', 'undefined', '"\\x"'])(
  'invalid or unusual JSON is left to JSON.parse: %s',
  (json) => {
    expect(read(`${json},"next":1}`).value).toBe(undefined)
  },
)
