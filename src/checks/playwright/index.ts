import { defineCheckType } from '../define.ts'
import { runLocation } from '../metric.ts'
import { environmentSecrets } from '../probe/redact.ts'
import { demo } from './demo.ts'
import { metrics, PlaywrightSettings } from './shape.ts'
import { wire } from './wire.ts'

export const playwright = defineCheckType({
  type: 'PLAYWRIGHT',
  path: 'playwright-checks',
  label: 'Playwright check suite',
  metrics,
  duration: 'responseTime',
  groupBy: [runLocation],
  settings: PlaywrightSettings,
  target: ({ directory, project }) => ({ ...(directory && { directory }), ...(project && { project }) }),
  files: ({ directory }) => (directory === undefined ? [] : [{ setting: 'directory', path: directory, kind: 'folder' }]),
  codeSettings: ({ bundle }) => (bundle === undefined ? [] : ['bundle']),
  secrets: ({ environment }) => environmentSecrets(environment),
  run: () => import('./run.ts'),
  heavy: true,
  wire,
  demo,
})
