import type { Static } from 'typebox'
import type { Run } from '../probe/run.ts'
import type { metrics, TcpSettings } from './index.ts'

export const run: Run<Static<typeof TcpSettings>, typeof metrics> = () => {
  throw new Error('not yet')
}
