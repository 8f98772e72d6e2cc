import type { Env } from '../../../config.ts'
import { playwrightBrowsersPath } from './chromium.ts'

/** What a program needs of the machine it runs on; nothing of it is a secret of Tidemark's. */
const necessities = [
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

/** The environment of the process that runs a script: what the machine needs, its own folder, the proxy, and the check's own variables. */
export function scriptEnvironment(given: {
  readonly machine: Env
  readonly folder: string
  readonly proxyUrl: string
  readonly variables: Readonly<Record<string, string>>
}): Readonly<Record<string, string>> {
  const { machine, folder, proxyUrl, variables } = given
  const needed = necessities.flatMap((name) => (machine[name] === undefined ? [] : [[name, machine[name]]]))
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, proxyUrl])
  return {
    ...Object.fromEntries(needed),
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
