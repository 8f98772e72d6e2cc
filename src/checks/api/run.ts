import type { Static } from 'typebox'
import type { Run } from '../probe/run.ts'
import type { ApiSettings, metrics } from './index.ts'

export const run: Run<Static<typeof ApiSettings>, typeof metrics> = () => {
  throw new Error('not yet')
}
