import { Type } from '../../schema/typebox.ts'
import { milliseconds } from '../metric.ts'
import { Environment, InlineScript } from '../probe/settings.ts'

export const metrics = {
  responseTime: milliseconds('Response time for all steps'),
}

const Settings = Type.Object({
  script: Type.Optional(Type.String({ minLength: 1, description: 'a Playwright test file, relative to the config file' })),
  inlineScript: Type.Optional(InlineScript),
  environment: Type.Optional(Environment),
})

export const MultistepSettings: typeof Settings = Type.Refine(
  Settings,
  ({ script, inlineScript }) => (script === undefined) !== (inlineScript === undefined),
  ({ script }) => (script === undefined ? 'script is missing: the test file that is run' : 'script and inlineScript exclude each other'),
)
