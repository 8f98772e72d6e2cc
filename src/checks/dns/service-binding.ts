/** The data of an HTTPS record in presentation format, such as `1 . alpn=h3,h2 ipv4hint=192.0.2.1`; in hexadecimal if it is malformed. */
export function serviceText(data: Buffer): string {
  try {
    const { name, end } = nameAt(data, 2)
    return [data.readUInt16BE(0), name, ...parametersAt(data, end)].join(' ')
  } catch {
    return data.toString('hex')
  }
}

function nameAt(data: Buffer, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = []
  let at = start
  for (let length = data.readUInt8(at); length > 0; length = data.readUInt8(at)) {
    labels.push(part(data, at + 1, length).toString('latin1'))
    at += 1 + length
  }
  return { name: labels.join('.') || '.', end: at + 1 }
}

function parametersAt(data: Buffer, start: number): readonly string[] {
  const parameters: string[] = []
  for (let at = start; at < data.length; ) {
    const length = data.readUInt16BE(at + 2)
    parameters.push(parameterText(data.readUInt16BE(at), part(data, at + 4, length)))
    at += 4 + length
  }
  return parameters
}

function parameterText(key: number, value: Buffer): string {
  if (key === 1) return `alpn=${protocols(value).join(',')}`
  if (key === 2) return 'no-default-alpn'
  if (key === 3) return `port=${value.readUInt16BE(0)}`
  if (key === 4)
    return `ipv4hint=${pieces(value, 4)
      .map((piece) => piece.join('.'))
      .join(',')}`
  if (key === 5) return `ech=${value.toString('base64')}`
  if (key === 6) return `ipv6hint=${pieces(value, 16).map(ipv6Text).join(',')}`
  return `key${key}=${value.toString('hex')}`
}

function protocols(value: Buffer): readonly string[] {
  const names: string[] = []
  for (let at = 0; at < value.length; ) {
    const length = value.readUInt8(at)
    names.push(part(value, at + 1, length).toString('latin1'))
    at += 1 + length
  }
  return names
}

function ipv6Text(address: Buffer): string {
  const groups = pieces(address, 2).map((pair) => pair.readUInt16BE(0).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

function pieces(value: Buffer, size: number): readonly Buffer[] {
  return Array.from({ length: Math.floor(value.length / size) }, (_, index) => value.subarray(index * size, (index + 1) * size))
}

function part(data: Buffer, start: number, length: number): Buffer {
  if (start + length > data.length) throw new RangeError('the record ends too early')
  return data.subarray(start, start + length)
}
