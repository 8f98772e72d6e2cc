import { Type } from '../../schema/typebox.ts'
import { milliseconds } from '../metric.ts'
import { Environment } from '../probe/settings.ts'

export const metrics = {
  responseTime: milliseconds('Response time for all steps'),
}

export const MultistepSettings = Type.Object({
  script: Type.String({ minLength: 1, description: 'a Playwright test file, relative to the config file' }),
  environment: Type.Optional(Environment),
})
