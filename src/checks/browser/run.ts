import type { Static } from 'typebox'
import type { Run } from '../probe/run.ts'
import type { BrowserSettings, metrics } from './index.ts'

export const run: Run<Static<typeof BrowserSettings>, typeof metrics> = () => {
  throw new Error('not yet')
}
