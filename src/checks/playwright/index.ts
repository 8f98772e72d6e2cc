import { Type } from 'typebox'
import { defineCheckType, milliseconds, runLocation } from '../define.ts'
import { environmentSecrets } from '../probe/redact.ts'
import { Environment } from '../probe/settings.ts'
import { webVitals } from '../probe/web-vitals.ts'
import { demo } from './demo.ts'

export const metrics = {
  responseTime: milliseconds('Response time for the full suite'),
  ...webVitals,
}

export const PlaywrightSettings = Type.Object({
  directory: Type.String({ minLength: 1, description: 'a folder with a playwright.config, relative to the config file' }),
  project: Type.Optional(Type.String({ minLength: 1 })),
  grep: Type.Optional(Type.String({ minLength: 1 })),
  environment: Type.Optional(Environment),
})

export const playwright = defineCheckType({
  type: 'PLAYWRIGHT',
  path: 'playwright-checks',
  label: 'Playwright check suite',
  metrics,
  duration: 'responseTime',
  groupBy: [runLocation],
  settings: PlaywrightSettings,
  target: ({ directory, project }) => ({ directory, ...(project && { project }) }),
  secrets: ({ environment }) => environmentSecrets(environment),
  run: () => import('./run.ts'),
  heavy: true,
  demo,
})
