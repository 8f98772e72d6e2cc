import { dirname } from 'node:path'
import { isMapping } from '../../../collections/mapping.ts'
import { CommandFailure } from '../../context.ts'
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
    let hasJobs = false
    for (const file of await inputFiles(files, /\.ya?ml$/i)) {
      const value = await yamlInput(file)
      if (!isMapping(value)) throw new CommandFailure(`${file} has neither modules nor scrape_configs.`)
      for (const [name, module] of Object.entries(isMapping(value.modules) ? value.modules : {})) modules.set(name, module)
      hasJobs ||= Array.isArray(value.scrape_configs)
      targets.push(...(await scrapedTargets(value, { folder: dirname(file), draft })))
      if (targets.length > maxTargets) throw new CommandFailure(`There are more than ${maxTargets} targets.`)
    }
    if (modules.size === 0) throw new CommandFailure('No file has modules: add the config file of the blackbox exporter.')
    if (!hasJobs) throw new CommandFailure('No file has scrape_configs: add prometheus.yml, which lists the targets.')
    for (const target of targets) convertProbe(target, modules.get(target.module), draft)
    const used = new Set(targets.map(({ module }) => module))
    for (const name of modules.keys()) if (!used.has(name)) draft.leftOut(`module ${name}`, 'No job uses it, so its targets are unknown.')
    return null
  },
}
