import { dirname } from 'node:path'
import { isMapping, type Mapping } from '../../../collections/mapping.ts'
import { CommandFailure } from '../../context.ts'
import type { ConversionDraft } from '../draft.ts'
import { plainText } from '../fields.ts'
import { inputFiles, yamlInput } from '../read-input.ts'
import type { ConvertSource } from '../source.ts'
import { convertProbe, type ProbeTarget } from './probes.ts'
import { scrapedTargets } from './scrape-configs.ts'

const maxTargets = 100_000

/** The blackbox exporter and its targets in Prometheus. */
export const blackbox: ConvertSource = {
  from: 'blackbox',
  reads: 'blackbox.yml of the blackbox exporter, and prometheus.yml with its jobs',
  async convert({ files, draft }) {
    const modules = new Map<string, unknown>()
    const targets: ProbeTarget[] = []
    const read: { readonly file: string; readonly value: Mapping }[] = []
    for (const file of await inputFiles(files, /\.ya?ml$/i)) {
      const value = await yamlInput(file)
      if (!isMapping(value)) throw new CommandFailure(`${file} has neither modules nor scrape_configs.`)
      read.push({ file, value })
    }
    // Files that `scrape_config_files` names have none of their own.
    const global = read.find(({ value }) => isMapping(value.global))?.value.global
    for (const { file, value } of read) {
      for (const [name, module] of Object.entries(isMapping(value.modules) ? value.modules : {})) modules.set(name, module)
      reportOtherFiles(file, value, draft)
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

function reportOtherFiles(file: string, { scrape_config_files: paths }: Mapping, draft: ConversionDraft): void {
  for (const path of Array.isArray(paths) ? paths.map(plainText) : [])
    draft.lost(file, `scrape_config_files: ${path}`, 'Its jobs are converted only if these files are given as well.')
}
