import { BlockList, isIP, isIPv6 } from 'node:net'

/** Address ranges by CIDR, or single addresses. */
export type AddressRules = { readonly allow: readonly string[]; readonly deny: readonly string[] }

export class AddressDenied extends Error {
  override readonly name = 'AddressDenied'

  constructor(address: string) {
    super(`the address ${address} is not allowed for checks`)
  }
}

/**
 * Throws for an address that checks may not call. `deny` overrides everything, `allow` overrides the default denials (link-local,
 * cloud metadata and unspecified addresses), and all other addresses are allowed.
 * An IPv4 address embedded in an IPv6 address must pass the rules of both families.
 */
export function addressPolicy({ allow, deny }: AddressRules): (address: string) => void {
  const [allowed, denied, defaultDenied] = [blockList(allow), blockList(deny), blockList(deniedByDefault)]
  return (address) => {
    const forms = formsOf(address)
    const within = (list: BlockList) => forms.some((form) => list.check(form, isIPv6(form) ? 'ipv6' : 'ipv4'))
    if (forms.length === 0 || within(denied) || (within(defaultDenied) && !within(allowed))) throw new AddressDenied(address)
  }
}

const linkLocal = ['169.254.0.0/16', 'fe80::/10']
const metadataServices = [
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:42::42',
  'fd00:100::100:200',
  'fd00:a9fe:a9fe::1',
  'fd00:c1::a9fe:a9fe',
  'fd00:ec2::/32',
  'fd20:ce::254',
]
/** The system connects these to this machine. */
const unspecified = ['0.0.0.0', '::']
const deniedByDefault = [...linkLocal, ...metadataServices, ...unspecified]

/** Whether a rule is an address or a CIDR block such as 10.0.0.0/8. */
export function isAddressRule(rule: string): boolean {
  return blockOf(rule) !== null
}

type Block = { readonly address: string; readonly bits: number; readonly family: 'ipv4' | 'ipv6' }

function blockList(rules: readonly string[]): BlockList {
  const list = new BlockList()
  for (const rule of rules) {
    const block = blockOf(rule)
    if (block === null) throw new RangeError(`${rule} is neither an address nor a CIDR block such as 10.0.0.0/8`)
    list.addSubnet(block.address, block.bits, block.family)
  }
  return list
}

function blockOf(rule: string): Block | null {
  const [, address = '', prefix] = /^([^/]+)(?:\/([0-9]{1,3}))?$/.exec(rule) ?? []
  const version = isIP(address)
  const maxBits = version === 4 ? 32 : 128
  const bits = Number(prefix ?? maxBits)
  return version === 0 || bits > maxBits ? null : { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' }
}

/** The address without its zone, and the IPv4 addresses that it may embed; empty if it is not an address. */
function formsOf(address: string): readonly string[] {
  const [bare = ''] = address.split('%')
  if (isIP(bare) === 0) return []
  return isIPv6(bare) ? [bare, ...embedded(groupsOf(bare))] : [bare]
}

function embedded(groups: readonly number[]): readonly string[] {
  const [first = 0, second = 0, third = 0] = groups
  const startsWith = (...prefix: number[]) => prefix.every((group, index) => groups[index] === group)
  const v4 = (at: number) => dotted(groups[at] ?? 0, groups[at + 1] ?? 0)
  const compatible = startsWith(0, 0, 0, 0, 0, 0) || startsWith(0, 0, 0, 0, 0, 0xffff) || startsWith(0, 0, 0, 0, 0xffff, 0)
  if (compatible || startsWith(0x64, 0xff9b, 0, 0, 0, 0)) return [v4(6)]
  if (startsWith(0x64, 0xff9b, 1)) return [v4(6), dotted(groups[3] ?? 0, ((groups[4] ?? 0) << 8) | ((groups[5] ?? 0) >> 8))]
  if (first === 0x2002) return [dotted(second, third)]
  if (startsWith(0x2001, 0)) return [dotted((groups[6] ?? 0) ^ 0xffff, (groups[7] ?? 0) ^ 0xffff)]
  const isatap = (groups[4] === 0 || groups[4] === 0x200) && groups[5] === 0x5efe
  return isatap ? [v4(6)] : []
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, (low >> 8) & 255, low & 255].map((byte) => byte & 255).join('.')
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const hex = address.replace(/[0-9.]+$/, (tail) => (tail.includes('.') ? tailInHex(tail) : tail))
  const [head = '', rest] = hex.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = rest ? rest.split(':') : []
  const gap = rest === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array<string>(gap).fill('0'), ...after].map((group) => Number.parseInt(group, 16))
}

function tailInHex(tail: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = tail.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}
