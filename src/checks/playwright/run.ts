import type { Static } from 'typebox'
import type { Run } from '../probe/run.ts'
import type { metrics, PlaywrightSettings } from './index.ts'

export const run: Run<Static<typeof PlaywrightSettings>, typeof metrics> = () => {
  throw new Error('not yet')
}
