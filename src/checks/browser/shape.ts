import { Type } from '../../schema/typebox.ts'
import { count, milliseconds, perPage } from '../metric.ts'
import { webVitals } from '../probe/playwright/web-vitals.ts'
import { Environment, Url } from '../probe/settings.ts'

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
  script: Type.Optional(Type.String({ minLength: 1, description: 'a Playwright test file, relative to the config file' })),
  environment: Type.Optional(Environment),
})

export const BrowserSettings: typeof Settings = Type.Refine(
  Settings,
  ({ url, script }) => url !== undefined || script !== undefined,
  () => 'url or script is missing: what is opened, or the test file that is run',
)
