import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import type { Check } from '../catalogue/catalogue.ts'
import type { NeededFile } from '../checks/define.ts'
import type { SentScripts } from './protocol.ts'
import { bundleName, encodeBundle, readBundle } from './script-bundle.ts'
import { findScriptFiles, ScriptProblem } from './script-files.ts'

/** The scripts of checks that agents run, as they are on disk. */
type ScriptWatch = {
  /** The scripts of a check: null if its runs need none, undefined until they have been read. */
  of(check: Scripted): SentScripts | null | undefined
  /** The settings of a check with absolute paths made relative, so that they are valid in a bundle. */
  settings(check: Scripted): Check['settings']
  /** A bundle by its name, encoded. */
  bundle(name: string): string | undefined
  /** Reads changed files; resolves to whether any script has changed. */
  refresh(checks: readonly Check[]): Promise<boolean>
}

type Scripted = Pick<Check, 'checkType' | 'settings'>
type Watched = {
  readonly sent: SentScripts
  readonly bundle: string | null
  readonly paths: readonly string[]
  /** Null if the paths to watch are not known. */
  readonly signature: string | null
}

/** Paths are relative to the folder of the config file. */
export function createScriptWatch(configFile: string): ScriptWatch {
  const file = resolve(configFile)
  const configDir = dirname(file)
  let watched = new Map<string, Watched>()

  async function read(needed: readonly NeededFile[], known: Watched | undefined): Promise<Watched> {
    if (known?.signature && known.signature === (await signatureOf(known.paths))) return known
    let paths: readonly string[] = []
    let signature: string | null = null
    try {
      const files = await findScriptFiles(needed, file)
      const found = files.map(({ path }) => path)
      paths = [...new Set([...found, ...found.map(dirname), ...needed.map(({ path }) => resolve(configDir, path))])]
      signature = await signatureOf(paths)
      const bundle = encodeBundle(await readBundle(files, file))
      return { sent: { bundle: bundleName(bundle) }, bundle, paths, signature }
    } catch (error) {
      return { sent: { problem: problemOf(error) }, bundle: null, paths, signature }
    }
  }

  return {
    of({ checkType, settings }) {
      const needed = checkType.files?.(settings) ?? []
      return needed.length === 0 ? null : watched.get(keyOf(needed))?.sent
    },
    settings({ checkType, settings }) {
      const absolute = (checkType.files?.(settings) ?? []).filter(({ path }) => isAbsolute(path))
      return { ...settings, ...Object.fromEntries(absolute.map(({ setting, path }) => [setting, relative(configDir, path)])) }
    },
    bundle: (name) => [...watched.values()].find(({ sent }) => 'bundle' in sent && sent.bundle === name)?.bundle ?? undefined,
    async refresh(checks) {
      const wanted = checks.map(({ checkType, settings }) => checkType.files?.(settings) ?? []).filter((needed) => needed.length > 0)
      const next = new Map<string, Watched>()
      for (const needed of wanted) {
        const key = keyOf(needed)
        if (!next.has(key)) next.set(key, await read(needed, watched.get(key)))
      }
      const hasChanged = [...next].some(([key, { sent }]) => JSON.stringify(sent) !== JSON.stringify(watched.get(key)?.sent))
      watched = next
      return hasChanged
    },
  }
}

const keyOf = (needed: readonly NeededFile[]) => JSON.stringify(needed)

/** Changes when one of these files or folders changes. */
async function signatureOf(paths: readonly string[]): Promise<string> {
  const states = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
        () => '',
      ),
    ),
  )
  return states.join('\n')
}

function problemOf(error: unknown): string {
  if (error instanceof ScriptProblem) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  return `they cannot be read (${code ?? message})`
}
