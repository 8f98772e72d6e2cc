import { type Static, Type } from '../../schema/typebox.ts'
import { milliseconds } from '../metric.ts'
import { Environment, InlineFiles, InlineScript, InlineScriptPath, inlineFault } from '../probe/settings.ts'

export const metrics = {
  responseTime: milliseconds('Response time for all steps'),
}

const Settings = Type.Object({
  script: Type.Optional(Type.String({ minLength: 1, description: 'a Playwright test file, relative to the config file' })),
  inlineScript: Type.Optional(InlineScript),
  inlineScriptPath: Type.Optional(InlineScriptPath),
  inlineFiles: Type.Optional(InlineFiles),
  environment: Type.Optional(Environment),
})

/** Why settings that are valid one by one do not fit together, as a sentence. */
function settingsFault(settings: Static<typeof Settings>): string | null {
  const { script, inlineScript } = settings
  if (script !== undefined && inlineScript !== undefined) return 'script and inlineScript exclude each other'
  return inlineFault(settings) ?? ((script ?? inlineScript) ? null : 'script is missing: the test file that is run')
}

export const MultistepSettings: typeof Settings = Type.Refine(
  Settings,
  (settings) => settingsFault(settings) === null,
  (settings) => settingsFault(settings) ?? '',
)
