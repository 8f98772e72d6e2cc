import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AddressDenied, addressPolicy } from './addresses.ts'

const byDefault = addressPolicy({ allow: [], deny: [] })
const admits = (admit: (address: string) => void, address: string) => {
  try {
    admit(address)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(AddressDenied)
    return false
  }
}

describe('the default policy', () => {
  test.each([
    '169.254.169.254',
    '169.254.0.1',
    '169.254.255.255',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fd00:ec2::254',
    'FD00:0EC2:0::0254',
    'fd00:ec2::1',
    'fd00:ec2:ffff::23',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fd00:a9fe:a9fe::1',
    'fd00:100::100:200',
    '100.100.100.200',
    '0.0.0.0',
    '::',
    '0:0:0:0:0:0:0:0',
    '::ffff:0.0.0.0',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::169.254.169.254',
    '::a9fe:a9fe',
    '::ffff:0:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00::',
    '2002:a9fe:a9fe::1',
    '2001:0:4136:e378:8000:63bf:5601:5601',
    '2001:db8::5efe:169.254.169.254',
  ])('denies %s', (address) => {
    expect(() => byDefault(address)).toThrow(`the address ${address} is not allowed for checks`)
  })

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '93.184.216.34',
    '169.253.255.255',
    '169.255.0.0',
    '0.0.0.1',
    '::1',
    'fd00::1',
    'fd00:ec3::1',
    'fd00:42::43',
    '2606:2800:220:1:248:1893:25c8:1946',
    '::ffff:93.184.216.34',
    '64:ff9b::5db8:d822',
  ])('allows %s', (address) => {
    expect(admits(byDefault, address)).toBe(true)
  })

  test.each(['', 'localhost', '169.254.169.254.', '0xa9fea9fe', '2852039166', '1.2.3', '1.2.3.4/32'])(
    'denies text that is not an address: %j',
    (text) => {
      expect(admits(byDefault, text)).toBe(false)
    },
  )
})

test('allow overrides the default deny list', () => {
  const admit = addressPolicy({ allow: ['169.254.20.10', 'fe80::/64'], deny: [] })
  expect(admits(admit, '169.254.20.10')).toBe(true)
  expect(admits(admit, '::ffff:169.254.20.10')).toBe(true)
  expect(admits(admit, 'fe80::7%eth0')).toBe(true)
  expect(admits(admit, '169.254.169.254')).toBe(false)
  expect(admits(admit, 'fe80:1::7')).toBe(false)
})

test('deny overrides allow', () => {
  const admit = addressPolicy({ allow: ['10.0.0.0/8'], deny: ['10.0.0.0/24', '::1'] })
  expect(admits(admit, '10.0.1.1')).toBe(true)
  expect(admits(admit, '10.0.0.1')).toBe(false)
  expect(admits(admit, '::ffff:10.0.0.1')).toBe(false)
  expect(admits(admit, '::1')).toBe(false)
})

test('denying all IPv4 addresses also denies mapped ones, and no other IPv6 address', () => {
  const admit = addressPolicy({ allow: [], deny: ['0.0.0.0/0'] })
  expect(admits(admit, '8.8.8.8')).toBe(false)
  expect(admits(admit, '::ffff:8.8.8.8')).toBe(false)
  expect(admits(admit, '2606:4700::1111')).toBe(true)
})

test.each(['10.0.0.0/33', '10.0.0/8', 'example.com', '::1/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/1.5', '10.0.0.0/-1', ''])(
  'an invalid rule is rejected: %j',
  (rule) => {
    expect(() => addressPolicy({ allow: [], deny: [rule] })).toThrow('is neither an address nor a CIDR block')
  },
)

test('every notation of a denied IPv4 address within IPv6 is denied', () => {
  const spellings = [(v4: string) => `::ffff:${v4}`, (v4: string) => `64:ff9b::${v4}`, (v4: string) => `::${v4}`]
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }), fc.constantFrom(...spellings), (c, d, spell) => {
      expect(admits(byDefault, spell(`169.254.${c}.${d}`))).toBe(false)
      expect(admits(byDefault, spell(`169.253.${c}.${d}`))).toBe(true)
    }),
  )
})

const hex = (high: number, low: number) => ((high << 8) | low).toString(16)

test.each<[string, (...bytes: readonly [number, number, number, number]) => string]>([
  ['compatible', (a, b, c, d) => `::${hex(a, b)}:${hex(c, d)}`],
  ['mapped', (a, b, c, d) => `::ffff:${hex(a, b)}:${hex(c, d)}`],
  ['translated', (a, b, c, d) => `::ffff:0:${hex(a, b)}:${hex(c, d)}`],
  ['behind NAT64', (a, b, c, d) => `64:ff9b::${hex(a, b)}:${hex(c, d)}`],
  ['behind NAT64 of a site', (a, b, c, d) => `64:ff9b:1::${hex(a, b)}:${hex(c, d)}`],
  ['behind NAT64 of a site with a short prefix', (a, b, c, d) => `64:ff9b:1:${hex(a, b)}:${hex(0, c)}:${hex(d, 0)}::`],
  ['of 6to4', (a, b, c, d) => `2002:${hex(a, b)}:${hex(c, d)}::1`],
  ['of Teredo', (a, b, c, d) => `2001:0:1:2:3:4:${hex(a ^ 255, b ^ 255)}:${hex(c ^ 255, d ^ 255)}`],
  ['of ISATAP', (a, b, c, d) => `2001:db8::5efe:${hex(a, b)}:${hex(c, d)}`],
  ['of ISATAP, unique everywhere', (a, b, c, d) => `2001:db8::200:5efe:${hex(a, b)}:${hex(c, d)}`],
])('an IPv4 address that is %s is denied, and its neighbours are not', (_, spell) => {
  const byte = fc.integer({ min: 1, max: 254 })
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const admit = addressPolicy({ allow: ['::/0'], deny: [`${a}.${b}.${c}.${d}`] })
      expect(admits(admit, spell(a, b, c, d))).toBe(false)
      for (const other of [spell(a + 1, b, c, d), spell(a, b + 1, c, d), spell(a, b, c + 1, d), spell(a, b, c, d + 1)])
        expect(admits(admit, other)).toBe(true)
    }),
    { numRuns: 30 },
  )
})
