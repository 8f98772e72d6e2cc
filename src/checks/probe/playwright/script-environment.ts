import type { Env } from '../../../config.ts'
import { playwrightBrowsersPath } from './chromium.ts'

/** Variables that a script inherits; none holds a secret. A check can override only `localeVariables`. */
const inheritedVariables = [
  'PATH',
  'LD_LIBRARY_PATH',
  'FONTCONFIG_FILE',
  'FONTCONFIG_PATH',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
]
const localeVariables = ['LANG', 'LC_ALL', 'TZ']

/** The environment of a script. The variables of the check cannot override the inherited ones, its folder and the proxy. */
export function scriptEnvironment(given: {
  readonly machine: Env
  readonly folder: string
  readonly proxyUrl: string
  readonly variables: Readonly<Record<string, string>>
}): Readonly<Record<string, string>> {
  const { machine, folder, proxyUrl, variables } = given
  const inherited = (names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(names.flatMap((name) => (machine[name] === undefined ? [] : [[name, machine[name]]])))
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, proxyUrl])
  return {
    ...inherited(localeVariables),
    ...variables,
    ...inherited(inheritedVariables),
    ...Object.fromEntries(proxies),
    NODE_USE_ENV_PROXY: '1',
    HOME: folder,
    TMPDIR: folder,
    FORCE_COLOR: '0',
    PLAYWRIGHT_BROWSERS_PATH: playwrightBrowsersPath,
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  }
}
