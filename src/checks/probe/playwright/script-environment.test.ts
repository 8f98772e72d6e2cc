import { expect, test } from 'vitest'
import { playwrightBrowsersPath } from './chromium.ts'
import { scriptEnvironment } from './script-environment.ts'

const own = {
  HTTP_PROXY: 'http://proxy',
  HTTPS_PROXY: 'http://proxy',
  http_proxy: 'http://proxy',
  https_proxy: 'http://proxy',
  NODE_USE_ENV_PROXY: '1',
  HOME: '/folder',
  TMPDIR: '/folder',
  FORCE_COLOR: '0',
  PLAYWRIGHT_BROWSERS_PATH: playwrightBrowsersPath,
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
}
const environment = (machine: Record<string, string>, variables: Record<string, string> = {}) =>
  scriptEnvironment({ machine, folder: '/folder', proxyUrl: 'http://proxy', variables })
const inherited = ['PATH', 'LD_LIBRARY_PATH', 'FONTCONFIG_FILE', 'FONTCONFIG_PATH', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_DIR', 'SSL_CERT_FILE']
const chosen = ['LANG', 'LC_ALL', 'TZ']
const all = (names: readonly string[], value: string) => Object.fromEntries(names.map((name) => [name, value]))

test('a script gets only a few variables of the machine', () => {
  expect(environment({})).toEqual(own)
  const names = [...inherited, ...chosen]
  expect(environment({ ...all(names, 'machine'), SECRET: 'x', HOME: '/root' })).toEqual({ ...own, ...all(names, 'machine') })
})

test('variables of the check override language and zone, but neither paths nor proxy', () => {
  const names = [...inherited, ...chosen]
  const variables = { ...all([...names, ...Object.keys(own)], 'check'), MINE: 'check' }
  expect(environment(all(names, 'machine'), variables)).toEqual({
    ...own,
    ...all(inherited, 'machine'),
    ...all(chosen, 'check'),
    MINE: 'check',
  })
})
