import { readdir } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { isMapping, type Mapping } from '../../../collections/mapping.ts'
import { CommandFailure } from '../../context.ts'
import type { ConversionDraft } from '../draft.ts'
import { parseDuration } from '../durations.ts'
import { fieldsOf, type InputFields, plainText, unreadLines } from '../fields.ts'
import { maxFiles, yamlInput } from '../read-input.ts'
import type { ProbeTarget } from './probes.ts'
import { isFollowed, probedTarget, sourceLabels } from './relabel.ts'

type ScrapeContext = { readonly folder: string; readonly draft: ConversionDraft }

const defaultIntervalMs = 60_000

/** Targets that the jobs of a Prometheus file probe through the blackbox exporter. */
export async function scrapedTargets(file: Mapping, { folder, draft }: ScrapeContext): Promise<readonly ProbeTarget[]> {
  const global = fieldsOf(file.global)
  const [intervalMs, timeoutMs] = ['scrape_interval', 'scrape_timeout'].map((name) => parseDuration(global.text(name)))
  const found: ProbeTarget[] = []
  for (const config of Array.isArray(file.scrape_configs) ? file.scrape_configs : []) {
    const job = fieldsOf(config, { metrics_path: '/metrics', honor_timestamps: true, scheme: 'http' })
    const name = job.text('job_name') || 'unnamed'
    const params = job.inside('params')
    if (job.text('metrics_path') !== '/probe' && params.list('module').length === 0) {
      draft.leftOut(`job ${name}`, 'It does not use the blackbox exporter: it has no /probe.')
      continue
    }
    const everyMs = parseDuration(job.text('scrape_interval')) || intervalMs || defaultIntervalMs
    const limitMs = parseDuration(job.text('scrape_timeout')) || timeoutMs || null
    const rules = job.list('relabel_configs').filter(isMapping)
    const common = {
      job: name,
      everyMs,
      scrapeTimeoutMs: limitMs,
      module: plainText(params.list('module')[0]) || 'http_2xx',
      rules,
      target: plainText(params.list('target')[0]) || null,
    }
    const groups = [...job.list('static_configs'), ...(await filedGroups(job, { folder, draft, name }))].filter(isMapping)
    found.push(...groups.flatMap((group) => targetsOf(group, common)))
    reportRules(rules, name, draft)
    draft.report(...unreadLines(job, `job ${name}`, serviceDiscovery(job)))
  }
  return found
}

type Common = Pick<ProbeTarget, 'job' | 'everyMs' | 'scrapeTimeoutMs' | 'module'> & {
  readonly rules: readonly Mapping[]
  /** The `target` of the parameters. */
  readonly target: string | null
}

function targetsOf(group: Mapping, { rules, target, ...common }: Common): readonly ProbeTarget[] {
  const labels = Object.entries(isMapping(group.labels) ? group.labels : {}).map(([name, value]) => [name, plainText(value)] as const)
  const hidden = new Map(labels.filter(([name]) => name.startsWith('__')))
  const tags = labels.filter(([name]) => !name.startsWith('__')).map(([name, value]) => `${name}=${value}`)
  const targets = Array.isArray(group.targets) ? group.targets.map(plainText).filter((target) => target !== '') : []
  const module = hidden.get('__param_module') ?? common.module
  const __param_target = hidden.get('__param_target') ?? target
  return targets.map((__address__) => ({ ...common, module, target: probedTarget(rules, { __address__, __param_target }), tags }))
}

/** Targets from the files of `file_sd_configs`. */
async function filedGroups(
  job: InputFields,
  { folder, draft, name }: ScrapeContext & { readonly name: string },
): Promise<readonly unknown[]> {
  const patterns = job.list('file_sd_configs').flatMap((config) => fieldsOf(config).list('files').map(plainText))
  const groups: unknown[] = []
  for (const pattern of patterns.slice(0, maxFiles)) {
    const files = await matchingFiles(resolve(folder, pattern))
    if (files.length === 0) draft.lost(`job ${name}`, `file_sd_configs: ${pattern}`, 'File not found.')
    for (const file of files) {
      const value = await yamlInput(file)
      if (!Array.isArray(value)) throw new CommandFailure(`${file} is not a list of targets.`)
      groups.push(...value)
    }
  }
  return groups
}

/** Files whose names fit the last part of the path, which may have a `*`. */
export async function matchingFiles(path: string): Promise<readonly string[]> {
  const names = await readdir(dirname(path)).catch(() => [])
  const parts = basename(path).split('*')
  const fits = (file: string) => {
    const [first = '', last = ''] = [parts[0], parts.at(-1)]
    return parts.length === 1 ? file === first : file.length >= first.length + last.length && file.startsWith(first) && file.endsWith(last)
  }
  return names
    .filter(fits)
    .toSorted()
    .slice(0, maxFiles)
    .map((file) => resolve(dirname(path), file))
}

function reportRules(rules: readonly Mapping[], name: string, draft: ConversionDraft): void {
  for (const rule of rules)
    if (!isFollowed(rule))
      draft.lost(
        `job ${name}`,
        `relabel_configs: ${sourceLabels(rule)} → ${plainText(rule.target_label) || plainText(rule.action)}`,
        'Targets and labels are used as written.',
      )
}

function serviceDiscovery(job: InputFields): Readonly<Record<string, string>> {
  const why = 'Discovered targets are not converted: only static_configs and file_sd_configs are.'
  return Object.fromEntries(
    job
      .unread()
      .filter((name) => name.endsWith('_sd_configs'))
      .map((name) => [name, why]),
  )
}
