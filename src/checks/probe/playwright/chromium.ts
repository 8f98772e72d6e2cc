import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, lstat, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Machine } from '../run.ts'
import { runInGroup } from './process-group.ts'

export type Chromium = { readonly path: string } | { readonly missing: string }

/** The script that starts an unpacked browser. */
export const launcher = 'start-chromium'

export const howToInstall =
  'install one (Debian: apt install chromium-headless-shell), set TIDEMARK_CHROMIUM, or npm install @sparticuz/chromium'

/**
 * The browser to use: the configured one, else one on this machine, else the one inside @sparticuz/chromium. Nothing is ever downloaded.
 */
export async function findChromium(named: string | null, searchPath: string): Promise<Chromium> {
  if (named !== null) return (await isProgram(named)) ? { path: named } : { missing: 'TIDEMARK_CHROMIUM is not an executable file' }
  for (const path of [...onSearchPath(searchPath), ...usualPaths, ...(await playwrightBrowsers())]) {
    if (await isProgram(path)) return { path }
  }
  const packed = await packedChromium().catch(() => null)
  return packed === null ? { missing: `no Chromium was found: ${howToInstall}` } : { path: packed }
}

/** Opens a page as a run would. Null if that works, else a sentence that says what is missing and how to get it. */
export async function chromiumAvailable({ chromium, env }: Machine): Promise<string | null> {
  const found = await findChromium(chromium, env.PATH ?? '')
  if ('missing' in found) return found.missing
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-browser-'))
  try {
    const { how, code, output } = await runInGroup({
      command: process.execPath,
      args: ['-e', `(${openPage})(require)`, createRequire(import.meta.url).resolve('@playwright/test'), found.path],
      cwd: folder,
      environment: { ...env, HOME: folder, TMPDIR: folder },
      mark: randomUUID(),
      timeoutMs: startMs,
      signal: new AbortController().signal,
      outputLimit: 10_000,
    })
    if (how === 'exit' && code === 0) return null
    return `${found.path} does not start: ${how === 'timeout' ? `no page opened within ${startMs / 1000} seconds` : reasonIn(output)}`
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

/** Sent as source text to a separate process; its arguments are the paths of Playwright and of the browser. */
function openPage(require: NodeJS.Require): void {
  const [, library = '', executablePath = ''] = process.argv
  const { chromium } = require(library) as { readonly chromium: import('@playwright/test').BrowserType }
  chromium
    .launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 })
    .then((browser) => browser.newPage())
    .then(
      () => process.exit(0),
      (error: Error) => {
        console.error(error.message)
        process.exit(1)
      },
    )
}

/** Launch options for Playwright. Chromium's sandbox does not work as root, the usual user in containers; for other users it stays on. */
export function launchOptions(chromium: string | null, deadEndUrl: string) {
  return {
    ...(chromium !== null && { executablePath: chromium }),
    chromiumSandbox: process.getuid?.() !== 0,
    proxy: { server: deadEndUrl },
    args: ['--webrtc-ip-handling-policy=disable_non_proxied_udp', '--force-webrtc-ip-handling-policy=disable_non_proxied_udp'],
  }
}

/** Unpacks the browser of a package into a temporary folder and renames it, so that it appears atomically. */
export async function unpack(packed: string, unpacked: string): Promise<void> {
  const temporary = await mkdtemp(`${unpacked}-`)
  const program = `require(${JSON.stringify(packed)}).executablePath()`
  const cloud = { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' }
  await promisify(execFile)(process.execPath, ['-e', program], { env: { TMPDIR: temporary, ...cloud } })
  await writeFile(join(temporary, 'fonts.conf'), fontsFile)
  await writeFile(join(temporary, launcher), launcherScript, { mode: 0o755 })
  await rename(temporary, unpacked).catch(() => rm(temporary, { recursive: true, force: true }))
}

/** How long a browser may take to start on a busy machine. */
const startMs = 30_000

/** The error output of the browser, else Playwright's message. */
function reasonIn(output: string): string {
  const written = /\[err\] (.*)/.exec(output)?.[1]
  const said = output.includes('has been closed') ? 'it exited immediately' : (output.trim().split('\n')[0] ?? '')
  return (written ?? said).slice(0, 200)
}

/** Where `playwright install` puts browsers. */
export const playwrightBrowsersPath =
  process.platform === 'darwin' ? join(homedir(), 'Library/Caches/ms-playwright') : join(homedir(), '.cache/ms-playwright')

/** The headless shell comes first: it takes a third of the processor time of a full browser. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge-stable',
]
const usualPaths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/lib/chromium/chromium',
  '/opt/google/chrome/chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

function onSearchPath(searchPath: string): readonly string[] {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => join(folder, name)))
}

async function playwrightBrowsers(): Promise<readonly string[]> {
  const installed = (await entries(playwrightBrowsersPath)).filter((name) => /^chromium(_headless_shell)?-\d+$/.test(name)).sort()
  const inside = [
    'chrome-linux/chrome',
    'chrome-linux64/chrome',
    'chrome-linux/headless_shell',
    'chrome-headless-shell-linux64/chrome-headless-shell',
  ]
  return installed.flatMap((name) => inside.map((path) => join(playwrightBrowsersPath, name, path)))
}

async function entries(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => [])
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** The package only contains a browser for Linux on x64. */
async function packedChromium(): Promise<string | null> {
  const packed = process.platform === 'linux' && process.arch === 'x64' ? locate('@sparticuz/chromium') : null
  if (packed === null) return null
  const home = join(tmpdir(), `tidemark-chromium-${process.getuid?.() ?? 0}`)
  await mkdir(home, { mode: 0o700, recursive: true })
  const { uid } = await lstat(home)
  if (uid !== process.getuid?.()) return null
  const unpacked = join(home, versionOf(packed))
  if (!(await isProgram(join(unpacked, launcher)))) await unpack(packed, unpacked)
  return join(unpacked, launcher)
}

/** The package includes libraries and fonts, but at paths that only AWS Lambda searches; without a sandbox it must run without a zygote. */
const launcherScript = `#!/bin/sh
here=$(dirname "$0")
export LD_LIBRARY_PATH="$here/al2023/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_FILE="$here/fonts.conf"
case " $* " in *" --no-sandbox "*) set -- --no-zygote "$@" ;; esac
exec "$here/chromium" "$@"
`
const fontsFile = `<?xml version="1.0"?>
<fontconfig><dir>/usr/share/fonts</dir><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`

function locate(name: string): string | null {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return null
  }
}

function versionOf(packed: string): string {
  const [folder = ''] = /^.*@sparticuz.chromium/.exec(dirname(packed)) ?? []
  return String(createRequire(import.meta.url)(join(folder, 'package.json')).version)
}
