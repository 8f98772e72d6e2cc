import { Type } from '../../schema.ts'
import { milliseconds } from '../metric.ts'
import { webVitals } from '../probe/playwright/web-vitals.ts'
import { Environment } from '../probe/settings.ts'

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
