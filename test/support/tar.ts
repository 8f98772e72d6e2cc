import { gzipSync } from 'node:zlib'

export type TarEntry = { readonly path: string; readonly text?: string; readonly type?: string; readonly link?: string }

/** A gzipped tar archive of these entries. */
export function tarGz(entries: readonly TarEntry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.map(entryBytes), Buffer.alloc(1024)]))
}

function entryBytes({ path, text = '', type = '0', link = '' }: TarEntry): Buffer {
  const content = Buffer.from(text)
  const header = Buffer.alloc(512)
  const write = (value: string, at: number) => header.write(value, at, 'utf8')
  write(path.slice(0, 100), 0)
  write('0000644\0', 100)
  write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  write(type, 156)
  write(link, 157)
  write('ustar\0', 257)
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)])
}
