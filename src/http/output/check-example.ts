import { stringify } from 'yaml'
import type { CheckType } from '../../checks/define.ts'

const target = {
  url: 'https://example.com',
  hostname: 'example.com',
  tcpPort: 443,
  dnsPort: 53,
  pingToken: 'replace-this-with-random-characters',
}

/** A check of a type as an entry of `checks` in the config file, for people to start from. */
export function checkExample({ type, demo, pingSettings }: CheckType): string {
  const common = { name: demo.name, type, ...(pingSettings ? {} : { frequency: '1m' }) }
  return stringify([{ ...common, tags: demo.tags, ...demo.settings(target) }], { flowCollectionPadding: true, lineWidth: 0 })
}
