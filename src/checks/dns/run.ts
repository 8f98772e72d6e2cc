import type { Static } from 'typebox'
import type { Run } from '../probe/run.ts'
import type { DnsSettings, metrics } from './index.ts'

export const run: Run<Static<typeof DnsSettings>, typeof metrics> = () => {
  throw new Error('not yet')
}
