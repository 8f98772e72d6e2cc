import { expect, test } from 'vitest'
import { serviceText } from './service-binding.ts'

const parameter = (key: number, hex: string) => {
  const value = Buffer.from(hex, 'hex')
  const head = Buffer.alloc(4)
  head.writeUInt16BE(key, 0)
  head.writeUInt16BE(value.length, 2)
  return Buffer.concat([head, value])
}
const record = (name: string, ...parameters: readonly Buffer[]) =>
  Buffer.concat([Buffer.from([0, 16]), Buffer.from(name, 'latin1'), ...parameters])

test('the target and all parameters are written as in zone files', () => {
  const target = '\x03www\x07example\x00'
  expect(serviceText(record(target))).toBe('16 www.example')
  expect(serviceText(record('\0'))).toBe('16 .')
  const all = [parameter(2, ''), parameter(4, 'c0000201c0000202'), parameter(5, 'abcd'), parameter(7, '2f')]
  expect(serviceText(record(target, ...all))).toBe('16 www.example no-default-alpn ipv4hint=192.0.2.1,192.0.2.2 ech=q80= key7=2f')
})

test.each([
  ['a name without an end', record('\x03www')],
  ['a parameter that is cut off', record('\0', parameter(4, 'c0000201').subarray(0, 6))],
])('%s is shown in hexadecimal', (_, data) => {
  expect(serviceText(data)).toBe(data.toString('hex'))
})
