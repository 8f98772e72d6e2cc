import type { Static } from 'typebox'
import type { Run } from '../probe/run.ts'
import type { metrics, UrlSettings } from './index.ts'

export const run: Run<Static<typeof UrlSettings>, typeof metrics> = () => {
  throw new Error('not yet')
}
