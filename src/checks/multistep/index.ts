import { Type } from 'typebox'
import { defineCheckType, milliseconds, runLocation } from '../define.ts'
import { environmentSecrets } from '../probe/redact.ts'
import { Environment } from '../probe/settings.ts'
import { demo } from './demo.ts'

export const metrics = {
  responseTime: milliseconds('Response time for all steps'),
}

export const MultistepSettings = Type.Object({
  script: Type.String({ minLength: 1, description: 'a Playwright test file, relative to the config file' }),
  environment: Type.Optional(Environment),
})

export const multistep = defineCheckType({
  type: 'MULTI_STEP',
  path: 'multistep-checks',
  label: 'Multistep check',
  metrics,
  duration: 'responseTime',
  groupBy: [runLocation],
  settings: MultistepSettings,
  target: ({ script }) => ({ script }),
  secrets: ({ environment }) => environmentSecrets(environment),
  run: () => import('./run.ts'),
  heavy: true,
  demo,
})
