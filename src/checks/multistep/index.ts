import { defineCheckType } from '../define.ts'
import { runLocation } from '../metric.ts'
import { environmentSecrets } from '../probe/redact.ts'
import { inlineCode } from '../probe/settings.ts'
import { demo } from './demo.ts'
import { MultistepSettings, metrics } from './shape.ts'
import { wire } from './wire.ts'

export const multistep = defineCheckType({
  type: 'MULTI_STEP',
  path: 'multistep-checks',
  label: 'Multistep check',
  metrics,
  duration: 'responseTime',
  groupBy: [runLocation],
  settings: MultistepSettings,
  target: ({ script }) => ({ ...(script && { script }) }),
  files: ({ script }) => (script === undefined ? [] : [{ setting: 'script', path: script, kind: 'file' }]),
  codeSettings: inlineCode,
  secrets: ({ environment }) => environmentSecrets(environment),
  run: () => import('./run.ts'),
  heavy: true,
  wire,
  demo,
})
