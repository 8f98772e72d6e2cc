import type { Static } from 'typebox'
import type { Run } from '../probe/run.ts'
import type { MultistepSettings, metrics } from './index.ts'

export const run: Run<Static<typeof MultistepSettings>, typeof metrics> = () => {
  throw new Error('not yet')
}
