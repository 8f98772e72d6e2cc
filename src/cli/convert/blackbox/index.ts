import { dirname, resolve } from 'node:path'
import { isMapping, type Mapping } from '../../../collections/mapping.ts'
import { CommandFailure } from '../../context.ts'
import type { ConversionDraft } from '../draft.ts'
import { plainText } from '../fields.ts'
import { inputFiles, maxFiles, yamlInput } from '../read-input.ts'
import type { ConvertSource } from '../source.ts'
import { convertProbe, type ProbeTarget } from './probes.ts'
import { matchingFiles, scrapedTargets } from './scrape-configs.ts'

type ReadFile = { readonly file: string; readonly value: Mapping }

const maxTargets = 100_000

/** The blackbox exporter and its targets in Prometheus. */
export const blackbox: ConvertSource = {
  from: 'blackbox',
  reads: 'blackbox.yml of the blackbox exporter, and prometheus.yml with its jobs',
  async convert({ files, draft }) {
    const modules = new Map<string, unknown>()
    const targets: ProbeTarget[] = []
    const given = await readFiles(await inputFiles(files, /\.ya?ml$/i))
    const read = [...given, ...(await readFiles(await namedFiles(given, draft)))]
    // Files that `scrape_config_files` names have none of their own.
    const global = read.find(({ value }) => isMapping(value.global))?.value.global
    for (const { file, value } of read) {
      for (const [name, module] of Object.entries(isMapping(value.modules) ? value.modules : {})) modules.set(name, module)
      targets.push(...(await scrapedTargets({ global, ...value }, { folder: dirname(file), draft })))
      if (targets.length > maxTargets) throw new CommandFailure(`There are more than ${maxTargets} targets.`)
    }
    if (modules.size === 0) throw new CommandFailure('No file has modules: add the config file of the blackbox exporter.')
    if (!read.some(({ value }) => Array.isArray(value.scrape_configs)))
      throw new CommandFailure('No file has scrape_configs: add prometheus.yml, which lists the targets.')
    for (const target of targets) convertProbe(target, modules.get(target.module), draft)
    const used = new Set(targets.map(({ module }) => module))
    for (const name of modules.keys()) if (!used.has(name)) draft.leftOut(`module ${name}`, 'No job uses it, so its targets are unknown.')
    return null
  },
}

async function readFiles(files: readonly string[]): Promise<readonly ReadFile[]> {
  const read: ReadFile[] = []
  for (const file of files) {
    const value = await yamlInput(file)
    if (!isMapping(value)) throw new CommandFailure(`${file} has neither modules nor scrape_configs.`)
    read.push({ file, value })
  }
  return read
}

/** Files that `scrape_config_files` names and that are not given themselves. */
async function namedFiles(given: readonly ReadFile[], draft: ConversionDraft): Promise<readonly string[]> {
  const known = new Set(given.map(({ file }) => resolve(file)))
  const named = new Set<string>()
  for (const { file, value } of given) {
    const patterns = Array.isArray(value.scrape_config_files) ? value.scrape_config_files.map(plainText) : []
    for (const pattern of patterns.slice(0, maxFiles)) {
      const found = await matchingFiles(resolve(dirname(file), pattern))
      if (found.length === 0) draft.lost(file, `scrape_config_files: ${pattern}`, 'File not found.')
      for (const path of found) if (!known.has(path)) named.add(path)
    }
  }
  if (named.size > maxFiles) throw new CommandFailure(`scrape_config_files names more than ${maxFiles} files.`)
  return [...named]
}
