import { type Answer, decode, encode } from 'dns-packet'
import { expect, test } from 'vitest'
import { encodeQuestion, isAnswerTo, isTruncated, parseAnswer } from './message.ts'

const reply = (answers: readonly Answer[], code = 0) => {
  const bytes = encode({ type: 'response', id: 7, answers: [...answers] })
  bytes.writeUInt8(bytes.readUInt8(3) | code, 3)
  return bytes
}
const common = { name: 'a.test', ttl: 60 } as const

test('a query requests recursion, and responses of up to 1232 bytes', () => {
  const { type, flags, questions, additionals } = decode(encodeQuestion('a.test', 'MX'))
  expect({ type, flags, questions }).toEqual({
    type: 'query',
    flags: 0x100,
    questions: [{ name: 'a.test', type: 'MX', class: 'IN' }],
  })
  expect(additionals).toMatchObject([
    { type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 0, ednsVersion: 0, flag_do: false, options: [] },
  ])
  expect(new Set(Array.from({ length: 20 }, () => encodeQuestion('a.test', 'A').readUInt16BE(0))).size).toBeGreaterThan(1)
})

const labels = (count: number, last: number) => [...Array.from({ length: count }, () => 'a'.repeat(63)), 'a'.repeat(last)].join('.')

test.each([
  ['a.test', true],
  ['a.test.', true],
  ['.', true],
  ['', false],
  ['..', false],
  ['a..test', false],
  ['.a', false],
  [`${'a'.repeat(63)}.test`, true],
  [`${'a'.repeat(64)}.test`, false],
  [labels(3, 61), true],
  [labels(3, 62), false],
])('whether %s is a domain name', (name, isName) => {
  const ask = () => encodeQuestion(name, 'A')
  if (isName) expect(ask).not.toThrow()
  else expect(ask).toThrow(`${JSON.stringify(name)} is not a domain name`)
})

test.each([
  ['the same id', [0, 7, 0x80], 12, true],
  ['another id', [0, 8, 0x80], 12, false],
  ['the id of another byte', [1, 7, 0x80], 12, false],
  ['a question', [0, 7, 0x01], 12, false],
  ['too few bytes', [0, 7, 0x80], 11, false],
])('whether a message with %s is the response', (_, [high = 0, low = 0, flags = 0], length, isAnswer) => {
  const message = Buffer.alloc(length)
  message.set([high, low, flags])
  expect(isAnswerTo(message, Buffer.from([0, 7]))).toBe(isAnswer)
})

test('the truncation flag is read', () => {
  const cut = [0x80, 0x82, 0x84, 0xfd, 0xff].map((flags) => isTruncated(Buffer.from([0, 0, flags])))
  expect(cut).toEqual([false, true, false, false, true])
  expect(isTruncated(Buffer.alloc(0))).toBe(false)
})

test.each(
  [
    'NOERROR',
    'FORMERR',
    'SERVFAIL',
    'NXDOMAIN',
    'NOTIMP',
    'REFUSED',
    'YXDOMAIN',
    'YXRRSET',
    'NXRRSET',
    'NOTAUTH',
    'NOTZONE',
    'RCODE11',
  ].map((code, number) => [number, code] as const),
)('the response code %d is %s', (number, code) => {
  expect(parseAnswer(reply([], number))).toEqual({ code, records: [] })
})

test.each<[Answer, string]>([
  [{ ...common, type: 'A', data: '192.0.2.1' }, '192.0.2.1'],
  [{ ...common, type: 'CNAME', data: 'b.test' }, 'b.test'],
  [{ ...common, type: 'MX', data: { preference: 10, exchange: 'mail.test' } }, '10 mail.test'],
  [{ ...common, type: 'TXT', data: ['one ', 'two'] }, 'one two'],
  [
    {
      ...common,
      type: 'SOA',
      data: { mname: 'ns.test', rname: 'me.test', serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 5 },
    },
    'ns.test me.test 1 2 3 4 5',
  ],
  [
    { ...common, type: 'CAA', data: { flags: 0, tag: 'issue', value: 'ca.test' } },
    '{"flags":0,"tag":"issue","value":"ca.test","issuerCritical":false}',
  ],
])('the record %j', (record, data) => {
  expect(parseAnswer(reply([record])).records).toEqual([{ ...common, type: record.type, data }])
})

test('an OPT record is skipped, and an invalid message is an error', () => {
  const option = decode(encodeQuestion('a.test', 'A')).additionals ?? []
  const only = { ...common, type: 'A', data: '192.0.2.1' } as const
  expect(parseAnswer(reply([...option, only])).records).toEqual([only])
  expect(() => parseAnswer(Buffer.from([0, 7, 0x80]))).toThrow('the answer is not a valid DNS message')
})
