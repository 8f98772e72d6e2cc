import { Type } from '../../schema/typebox.ts'
import { milliseconds } from '../metric.ts'
import { webVitals } from '../probe/playwright/web-vitals.ts'
import { Environment } from '../probe/settings.ts'

export const metrics = {
  responseTime: milliseconds('Response time for the full suite'),
  ...webVitals,
}

export const PlaywrightSettings = Type.Object({
  directory: Type.String({ minLength: 1, description: 'a folder with a playwright.config, relative to the config file' }),
  project: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description: 'text of 1 to 1000 characters' })),
  grep: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description: 'a regular expression of at most 1000 characters' })),
  environment: Type.Optional(Environment),
})
