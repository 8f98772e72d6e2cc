import { defineCheckType } from '../define.ts'
import { pageIndex, runLocation } from '../metric.ts'
import { publicUrl, urlParts } from '../probe/http/http-request.ts'
import { environmentSecrets } from '../probe/redact.ts'
import { inlineCode } from '../probe/settings.ts'
import { demo } from './demo.ts'
import { BrowserSettings, metrics } from './shape.ts'
import { wire } from './wire.ts'

export const browser = defineCheckType({
  type: 'BROWSER',
  path: 'browser-checks',
  label: 'Browser check',
  metrics,
  duration: 'responseTime',
  groupBy: [runLocation, pageIndex],
  settings: BrowserSettings,
  target: ({ url, script }) => ({ ...(url && { url: publicUrl(url) }), ...(script && { script }) }),
  files: ({ script }) => (script === undefined ? [] : [{ setting: 'script', path: script, kind: 'file' }]),
  codeSettings: inlineCode,
  secrets: ({ url, environment }) => [...environmentSecrets(environment), ...(url === undefined ? [] : urlParts(url).secrets)],
  run: () => import('./run.ts'),
  selfTest: async (machine) => (await import('../probe/playwright/chromium.ts')).chromiumAvailable(machine),
  heavy: true,
  wire,
  demo,
})
