/** One client: an IPv4 address, or the /64 of an IPv6 address, since a network usually has all of it. */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail = ''] = address.split('::', 2)
  const given = groupsOf(head)
  const zeros = Array.from({ length: 8 - given.length - groupsOf(tail).length }, () => '0')
  return `${[...given, ...zeros, ...groupsOf(tail)].slice(0, 4).join(':')}::/64`
}

function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':')
}
