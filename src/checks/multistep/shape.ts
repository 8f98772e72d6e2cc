import { type Static, Type } from '../../schema/typebox.ts'
import { milliseconds } from '../metric.ts'
import { scriptFault, scriptFields } from '../probe/settings.ts'

export const metrics = {
  responseTime: milliseconds('Response time for all steps'),
}

const Settings = Type.Object({
  ...scriptFields,
})

/** Checks the settings against each other; returns the fault as a sentence. */
function settingsFault(settings: Static<typeof Settings>): string | null {
  const { script, inlineScript } = settings
  return scriptFault(settings) ?? ((script ?? inlineScript) ? null : 'script is missing: the test file to run')
}

export const MultistepSettings: typeof Settings = Type.Refine(
  Settings,
  (settings) => settingsFault(settings) === null,
  (settings) => settingsFault(settings) ?? '',
)
