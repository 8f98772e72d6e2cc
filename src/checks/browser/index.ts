import { Type } from 'typebox'
import { count, defineCheckType, milliseconds, pageIndex, perPage, runLocation } from '../define.ts'
import { publicUrl, urlParts } from '../probe/http-request.ts'
import { environmentSecrets } from '../probe/redact.ts'
import { Environment, Url } from '../probe/settings.ts'
import { webVitals } from '../probe/web-vitals.ts'
import { demo } from './demo.ts'

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

export const browser = defineCheckType({
  type: 'BROWSER',
  path: 'browser-checks',
  label: 'Browser check',
  metrics,
  duration: 'responseTime',
  groupBy: [runLocation, pageIndex],
  settings: BrowserSettings,
  target: ({ url, script }) => ({ ...(url && { url: publicUrl(url) }), ...(script && { script }) }),
  secrets: ({ url, environment }) => [...environmentSecrets(environment), ...(url === undefined ? [] : urlParts(url).secrets)],
  run: () => import('./run.ts'),
  selfTest: async (machine) => (await import('../probe/chromium.ts')).chromiumAvailable(machine),
  heavy: true,
  demo,
})
