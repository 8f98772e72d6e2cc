import type { CheckType } from '../../src/checks/define.ts'
import { checkTypes } from '../../src/checks/registry.ts'

/** The token of checks that are pinged. */
export const pingToken = 'a-token-of-32-characters-0123456'
/** The key of accounts whose checks are pinged by id. */
export const pingKey = 'a-ping-key-of-22-chars'

const target = {
  url: 'http://127.0.0.1:8790',
  hostname: '127.0.0.1',
  tcpPort: 8791,
  dnsPort: 8792,
  pingToken,
}

/** A valid config entry for a check of this type. */
export function exampleCheck(checkType: CheckType): Record<string, unknown> {
  const { demo, pingSettings } = checkType
  const common = { name: demo.name, type: checkType.type, tags: demo.tags }
  return { ...common, ...(pingSettings ? {} : { frequency: '1m' }), ...demo.settings(target) }
}

export const runTypes = checkTypes.filter(({ pingSettings }) => !pingSettings)
export const pingedTypes = checkTypes.filter(({ pingSettings }) => pingSettings)

/** One of the check types that are run, by index, for tests that work with any type. */
export function anyRunType(place = 0): CheckType {
  const found = runTypes[place]
  if (!found) throw new RangeError(`there are only ${runTypes.length} such types`)
  return found
}
