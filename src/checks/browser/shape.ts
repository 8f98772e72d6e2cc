import { type Static, Type } from '../../schema/typebox.ts'
import { count, milliseconds, perPage } from '../metric.ts'
import { webVitals } from '../probe/playwright/web-vitals.ts'
import { scriptFault, scriptFields, Url } from '../probe/settings.ts'

export const metrics = {
  responseTime: milliseconds('Response time for the full script'),
  TTFB: perPage(webVitals.TTFB),
  FCP: perPage(webVitals.FCP),
  LCP: perPage(webVitals.LCP),
  CLS: perPage(webVitals.CLS),
  TBT: perPage(webVitals.TBT),
  consoleErrors: count('Console errors'),
  networkErrors: count('Network errors'),
  userScriptErrors: count('User script errors'),
  documentErrors: count('Document errors'),
}

const Settings = Type.Object({
  url: Type.Optional(Url),
  ...scriptFields,
})

/** Checks the settings against each other; returns the fault as a sentence. */
function settingsFault(settings: Static<typeof Settings>): string | null {
  const { url, script, inlineScript } = settings
  const fault = scriptFault(settings)
  if (fault !== null) return fault
  return (url ?? script ?? inlineScript) ? null : 'url or script is missing: the page to open, or the test file to run'
}

export const BrowserSettings: typeof Settings = Type.Refine(
  Settings,
  (settings) => settingsFault(settings) === null,
  (settings) => settingsFault(settings) ?? '',
)
