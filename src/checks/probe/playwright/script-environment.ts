import type { Env } from '../../../config.ts'
import { playwrightBrowsersPath } from './chromium.ts'

/** Variables that a script inherits; none of them holds a secret. */
const inheritedVariables = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'LD_LIBRARY_PATH',
  'FONTCONFIG_FILE',
  'FONTCONFIG_PATH',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
]

/** The environment of a script: inherited variables, its own folder, the proxy, and the variables of the check. */
export function scriptEnvironment(given: {
  readonly machine: Env
  readonly folder: string
  readonly proxyUrl: string
  readonly variables: Readonly<Record<string, string>>
}): Readonly<Record<string, string>> {
  const { machine, folder, proxyUrl, variables } = given
  const inherited = inheritedVariables.flatMap((name) => (machine[name] === undefined ? [] : [[name, machine[name]]]))
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, proxyUrl])
  return {
    ...Object.fromEntries(inherited),
    ...Object.fromEntries(proxies),
    NODE_USE_ENV_PROXY: '1',
    HOME: folder,
    TMPDIR: folder,
    FORCE_COLOR: '0',
    PLAYWRIGHT_BROWSERS_PATH: playwrightBrowsersPath,
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
    ...variables,
  }
}
