import type { CheckType } from '../../src/checks/define.ts'
import { checkTypes } from '../../src/checks/registry.ts'

const target = {
  url: 'http://127.0.0.1:8790',
  hostname: '127.0.0.1',
  tcpPort: 8791,
  dnsPort: 8792,
  pingToken: 'a-token-of-32-characters-0123456',
}

/** What a config file may say of a check of this type. */
export function exampleCheck(checkType: CheckType): Record<string, unknown> {
  const { demo, pinged } = checkType
  const common = { name: demo.name, type: checkType.type, tags: demo.tags }
  return { ...common, ...(pinged ? {} : { frequency: '1m' }), ...demo.settings(target) }
}

export const runTypes = checkTypes.filter(({ pinged }) => !pinged)
export const pingedTypes = checkTypes.filter(({ pinged }) => pinged)

/** The check type of that place among those that are run, for tests to which any will do. */
export function anyRunType(place = 0): CheckType {
  const found = runTypes[place]
  if (!found) throw new RangeError(`there are only ${runTypes.length} such types`)
  return found
}
