import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import type { Check } from '../../catalogue/catalogue.ts'
import { newKey } from '../../catalogue/keys.ts'
import type { CheckType } from '../../checks/define.ts'
import type { DemoTarget } from '../../checks/demo.ts'
import { checkTypes } from '../../checks/registry.ts'
import { makeFolder } from '../../files/make-folder.ts'
import { sha256 } from '../../ids/sha256.ts'
import { replaceFile } from '../change-file.ts'
import { drawOf } from './invent.ts'
import { randomFrom } from './random.ts'
import { failingTag, slowTag } from './scenario.ts'
import { alertsPath, brokenPath, shakyPath, slowPath } from './shop.ts'
import { freeTarget } from './target.ts'

export const demoAccount = 'demo'

/** The state of a demo between two starts. The key gives access only to the demo's own data. */
type DemoState = { readonly key: string; readonly end: number; readonly target: DemoTarget }

export type DemoFolder = DemoState & { readonly configFile: string; readonly dataDir: string }

/** The demo's folder: created at the first start, then reused. */
export async function openDemoFolder(folder: string, now: number): Promise<DemoFolder> {
  const paths = { configFile: join(folder, 'tidemark.yaml'), dataDir: join(folder, 'data') }
  const stateFile = join(folder, 'demo.json')
  const saved = await readFile(stateFile, 'utf8').catch(() => null)
  if (saved !== null) return { ...paths, ...(JSON.parse(saved) as DemoState) }
  makeFolder(folder)
  const { id, key } = newKey(randomBytes)
  const state: DemoState = { key, end: now, target: await freeTarget(randomBytes(16).toString('hex')) }
  for (const { demo } of checkTypes) await writeFiles(folder, demo.files)
  await replaceFile(
    paths.configFile,
    demoConfig({ id, name: 'demo', hash: sha256(key), scopes: ['read', 'ingest', 'operate', 'write'] }, state.target),
    0o600,
  )
  await replaceFile(stateFile, `${JSON.stringify(state, null, 2)}\n`, 0o600)
  return { ...paths, ...state }
}

/** Whether a check belongs to the demo and still calls its target, so that the user has neither added nor changed it. */
export function isDemoCheck({ id, settings }: Pick<Check, 'id' | 'settings'>, target: DemoTarget): boolean {
  const ids = [...checkTypes.map(({ demo }) => slug(demo.name)), ...Object.values(troubled).map(slug)]
  return ids.includes(id) && JSON.stringify(settings).includes(target.hostname)
}

/** Checks with problems, for demonstration. */
const troubled = { failing: 'Gift cards', slow: 'Search', shaky: 'Coupons', paused: 'Old checkout' }

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

const policies = {
  maintenance: [{ name: 'Patch night', every: 'week', on: ['wed'], at: '02:00', for: '1h', timezone: 'Europe/Berlin', tags: ['shop'] }],
  serviceHours: [{ name: 'office', days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '20:00', timezone: 'Europe/Berlin' }],
  slos: [
    { id: 'shop', name: 'The shop is open', tags: ['shop'], objective: { kind: 'availability', by: 'time', target: 99.5 }, window: '30d' },
    {
      id: 'fast',
      name: 'The shop is fast',
      tags: ['shop'],
      objective: { kind: 'latency', metric: 'duration', thresholdMs: 800, target: 80 },
      window: { calendar: 'month', timezone: 'Europe/Berlin' },
    },
  ],
}

/** Sends alerts to the demo's own shop through a webhook. */
function alertsTo({ url }: DemoTarget) {
  return {
    channels: [{ id: 'shop-team', type: 'webhook', url: `${url}${alertsPath}` }],
    alerts: [
      { id: 'shop-fails', tags: ['shop'], when: 'failing', after: { runs: 2 }, to: ['shop-team'], remind: { every: '1h', times: 3 } },
      { id: 'certificates', when: 'certificate', to: ['shop-team'] },
    ],
  }
}

export function demoConfig(key: Readonly<Record<string, unknown>>, target: DemoTarget): string {
  const checks = [...checkTypes.map((checkType) => checkEntry(checkType, target)), ...troubledEntries(target)]
  const account = { id: demoAccount, name: 'Demo', publicBadges: true, keys: [key], ...policies, ...alertsTo(target), checks }
  const opening = '# The demo of Tidemark. Change what you like: a running demo reloads this file.\n'
  return opening + stringify({ addresses: { allow: ['127.0.0.0/8'] }, evidence: 'all', accounts: [account] }, { lineWidth: 0 })
}

function checkEntry(checkType: CheckType, target: DemoTarget): Readonly<Record<string, unknown>> {
  const { demo, type, pingSettings, heavy } = checkType
  const common = { id: slug(demo.name), name: demo.name, type, tags: demo.tags }
  const scheduled = {
    frequency: heavy ? '15m' : '5m',
    locations: heavy ? ['eu-west-1', 'us-east-1'] : ['eu-west-1', 'us-east-1', 'ap-southeast-1'],
    runParallel: true,
    retry: { strategy: 'fixed', baseBackoff: '5s', maxRetries: 2 },
    ...limitsOf(checkType),
  }
  return { ...common, ...(pingSettings ? {} : scheduled), ...demo.settings(target) }
}

/** One failing, one degraded, one intermittently failing and one paused check, of types with a status code. */
function troubledEntries(target: DemoTarget): readonly Readonly<Record<string, unknown>>[] {
  const [first, second = first] = checkTypes.filter(({ fields, phases }) => fields.includes('statusCode') && phases.length > 0)
  if (first === undefined || second === undefined) return []
  const below = (path: string) => ({ ...target, url: target.url + path })
  const named = (name: string, ...tags: readonly string[]) => ({ id: slug(name), name, tags: ['shop', ...tags] })
  return [
    { ...checkEntry(first, below(brokenPath)), ...named(troubled.failing, failingTag) },
    { ...checkEntry(second, below(slowPath)), ...named(troubled.slow, slowTag) },
    { ...checkEntry(first, below(shakyPath)), ...named(troubled.shaky), frequency: '2m' },
    { ...checkEntry(second, target), ...named(troubled.paused, 'legacy'), activated: false },
  ]
}

/**
 * Well above usual durations, so that a slow week degrades only some runs. Doubled for browsers, whose start time varies most between
 * machines.
 */
function limitsOf({ demo, duration, heavy }: CheckType): Readonly<Record<string, number>> {
  if (duration === null) return {}
  const random = randomFrom(1)
  const durations = Array.from({ length: 101 }, () => demo.run(drawOf(1, false, random)).metrics[duration] ?? 0)
  const p95 = durations.sort((a, b) => a - b)[95] ?? 0
  const limit = (times: number, leastMs: number) => Math.max(leastMs, Math.ceil(p95 * times * (heavy ? 2 : 1)))
  return { degradedResponseTime: limit(2.2, 50), maxResponseTime: limit(8, 500) }
}
