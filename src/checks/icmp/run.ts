import type { Static } from 'typebox'
import type { Run } from '../probe/run.ts'
import type { IcmpSettings, metrics } from './index.ts'

export const run: Run<Static<typeof IcmpSettings>, typeof metrics> = () => {
  throw new Error('not yet')
}
