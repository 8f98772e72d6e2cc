import { isDeepStrictEqual } from 'node:util'
import { isMapping } from '../../../collections/mapping.ts'
import { CommandFailure } from '../../context.ts'
import type { ConversionDraft } from '../draft.ts'
import { fieldsOf, type InputFields, plainText, unreadLines } from '../fields.ts'
import { inputFiles, yamlInput } from '../read-input.ts'
import type { ConvertSource } from '../source.ts'
import { gatusAlerts } from './alerts.ts'
import { type GatusWorld, oneEndpoint } from './endpoint.ts'
import { oneExternalEndpoint } from './external-endpoint.ts'
import { addGatusMaintenance } from './maintenance.ts'
import { gatusTexts } from './variables.ts'

const maxEndpoints = 100_000

/** Gatus 5. */
export const gatus: ConvertSource = {
  from: 'gatus',
  reads: 'config.yaml of Gatus; several files, or a folder of them, are merged as Gatus does it',
  async convert({ files, draft, env }) {
    const values: unknown[] = []
    for (const file of await inputFiles(files, /\.ya?ml$/i)) values.push(await yamlInput(file))
    const root = fieldsOf(mergedFiles(values, draft))
    const lists = { endpoints: root.list('endpoints'), external: root.list('external-endpoints'), suites: root.list('suites') }
    const count = lists.endpoints.length + lists.external.length + lists.suites.length
    if (count === 0) throw new CommandFailure('Not a Gatus configuration: no endpoints.')
    if (count > maxEndpoints) throw new CommandFailure(`There are more than ${maxEndpoints} endpoints.`)
    const texts = gatusTexts(env, draft)
    const world: GatusWorld = { draft, texts, alerts: gatusAlerts(root.take('alerting'), { draft, texts }), tokens: new Set() }
    for (const endpoint of lists.endpoints) oneEndpoint(endpoint, world)
    for (const endpoint of lists.external) oneExternalEndpoint(endpoint, world)
    for (const suite of lists.suites) reportSuite(suite, draft)
    addGatusMaintenance('maintenance of all endpoints', root.take('maintenance'), { draft, texts })
    addCanary(root.inside('connectivity').inside('checker'), draft)
    draft.report(...unreadLines(root, 'the file', reasons))
    return null
  },
}

const reasons: Readonly<Record<string, string>> = {
  storage: 'Results are stored in the data folder, or in ClickHouse.',
  security: 'The page and the API require keys: see tidemark key create.',
  web: 'Pass the listen address to tidemark serve.',
  ui: 'The page is not customizable.',
  metrics: '/metrics requires a key with the scope metrics.',
  concurrency: 'TIDEMARK_MAX_RUNS limits concurrent runs.',
  'disable-monitoring-lock': 'TIDEMARK_MAX_RUNS limits concurrent runs.',
  announcements: 'Announcements are not supported.',
  remote: 'Other instances are not converted: use agents.',
  tunneling: 'SSH tunnels are not supported.',
  'connectivity.checker.interval': 'Canaries are called every 15 seconds.',
}

/** Gatus skips all checks while this target is unreachable. Here checks still run, but a canary suppresses their alerts. */
function addCanary(checker: InputFields, draft: ConversionDraft): void {
  const target = checker.text('target')
  if (/^[^\s/:]+:[0-9]{1,5}$/.test(target)) draft.setCanary('default', [target])
  else if (target !== '') draft.lost('connectivity', 'target', 'A canary is a host and a port.')
}

function reportSuite(value: unknown, draft: ConversionDraft): void {
  const suite = isMapping(value) ? value : {}
  const item = `suite ${plainText(suite.name) || 'unnamed'}`
  const steps = (Array.isArray(suite.endpoints) ? suite.endpoints.filter(isMapping) : []).map(({ name }) => plainText(name))
  const why = `Write sequential endpoints as the script of a multistep check. Its steps: ${steps.slice(0, 50).join(', ') || 'none'}.`
  draft.leftOut(item, why)
}

/** Merges files: mappings are merged and lists appended. A conflict keeps the first value and is reported. */
function mergedFiles(values: readonly unknown[], draft: ConversionDraft): unknown {
  const merged = (one: unknown, other: unknown, path: string): unknown => {
    if (one === undefined || one === null) return other
    if (other === undefined || other === null) return one
    if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other]
    if (isMapping(one) && isMapping(other)) {
      const names = new Set([...Object.keys(one), ...Object.keys(other)])
      return Object.fromEntries(
        [...names].map((name) => [name, merged(own(one, name), own(other, name), path === '' ? name : `${path}.${name}`)]),
      )
    }
    if (!isDeepStrictEqual(one, other)) draft.lost('the files', path, 'Two files have different values: the first is kept.')
    return one
  }
  return values.reduce<unknown>((all, value) => merged(all, value, ''), undefined)
}

const own = (mapping: Readonly<Record<string, unknown>>, name: string) => (Object.hasOwn(mapping, name) ? mapping[name] : undefined)
