import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import type { CheckType } from '../../src/checks/define.ts'
import { sha256 } from '../../src/ids/sha256.ts'
import { account, readKey, service, testCatalogue, testCheck, testKey, writeKey } from './catalogue.ts'
import { pingKey } from './example-config.ts'
import { sampleSettings } from './settings.ts'

type Allowed = { readonly managedVariables: () => readonly string[]; readonly allowUploadedCode?: () => boolean }

/** A config file with one check, `in-file`, a read key and a write key. The test may change what it allows. */
export function managedFile(checkType: CheckType, { managedVariables, allowUploadedCode = () => true }: Allowed): Catalogue {
  return testCatalogue({
    accounts: [
      {
        id: account,
        name: 'Acme',
        publicBadges: false,
        pingKeyHash: sha256(pingKey),
        get managedVariables() {
          return managedVariables()
        },
      },
    ],
    service: () => ({ ...service, allowUploadedCode: allowUploadedCode() }),
    keys: [testKey(readKey, account, ['read']), testKey(writeKey, account, ['read', 'write'])],
    checks: [testCheck(checkType, { id: 'in-file', tags: ['web'] })],
  })
}

export const inFileDefinition = (checkType: CheckType) => ({
  id: 'in-file',
  name: `The ${checkType.label}`,
  type: checkType.type,
  frequency: '1m',
  locations: ['eu-west-1', 'us-east-1'],
  tags: ['web'],
  ...sampleSettings(checkType),
})
