import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { newKey } from '../../catalogue/keys.ts'
import type { CheckType } from '../../checks/define.ts'
import type { DemoTarget } from '../../checks/demo.ts'
import { checkTypes } from '../../checks/registry.ts'
import { sha256 } from '../../ids/sha256.ts'
import { makeFolder } from '../../make-folder.ts'
import { replaceFile } from '../change-file.ts'
import { drawOf } from './invent.ts'
import { randomFrom } from './random.ts'
import { freeTarget } from './target.ts'

export const demoAccount = 'demo'

/** What a demo remembers between two starts. The key is for its own invented data alone. */
type DemoMemory = { readonly key: string; readonly end: number; readonly target: DemoTarget }

export type DemoFolder = DemoMemory & { readonly configFile: string; readonly dataDir: string }

/** The demo's folder: made at the first start, found again at the next. */
export async function openDemoFolder(folder: string, now: number): Promise<DemoFolder> {
  const place = { configFile: join(folder, 'tidemark.yaml'), dataDir: join(folder, 'data') }
  const memoryFile = join(folder, 'demo.json')
  const known = await readFile(memoryFile, 'utf8').catch(() => null)
  if (known !== null) return { ...place, ...(JSON.parse(known) as DemoMemory) }
  makeFolder(folder)
  const { id, key } = newKey(randomBytes)
  const memory: DemoMemory = { key, end: now, target: await freeTarget(randomBytes(16).toString('hex')) }
  for (const { demo } of checkTypes) await writeFiles(folder, demo.files)
  await replaceFile(place.configFile, configText({ id, name: 'demo', hash: sha256(key), scopes: ['read', 'ingest'] }, memory.target), 0o600)
  await replaceFile(memoryFile, `${JSON.stringify(memory, null, 2)}\n`, 0o600)
  return { ...place, ...memory }
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

function configText(key: Readonly<Record<string, unknown>>, target: DemoTarget): string {
  const checks = checkTypes.map((checkType) => checkEntry(checkType, target))
  const account = { id: demoAccount, name: 'Demo', publicBadges: true, keys: [key], checks }
  const opening = '# The demo of Tidemark. Change what you like: a running demo follows this file.\n'
  return opening + stringify({ addresses: { allow: ['127.0.0.0/8'] }, accounts: [account] }, { lineWidth: 0 })
}

function checkEntry(checkType: CheckType, target: DemoTarget): Readonly<Record<string, unknown>> {
  const { demo, type, pinged, heavy } = checkType
  const common = { id: slug(demo.name), name: demo.name, type, tags: demo.tags }
  const ofRuns = {
    frequency: heavy ? '15m' : '5m',
    locations: heavy ? ['eu-west-1', 'us-east-1'] : ['eu-west-1', 'us-east-1', 'ap-southeast-1'],
    runParallel: true,
    retry: { strategy: 'fixed', baseBackoff: '5s', maxRetries: 2 },
    ...limitsOf(checkType),
  }
  return { ...common, ...(pinged ? {} : ofRuns), ...demo.settings(target) }
}

/** Well above what runs usually take, so that a slow week degrades some; machines differ most in how fast a browser starts. */
function limitsOf({ demo, duration, heavy }: CheckType): Readonly<Record<string, number>> {
  if (duration === null) return {}
  const random = randomFrom(1)
  const took = Array.from({ length: 101 }, () => demo.run(drawOf(1, false, random)).metrics[duration] ?? 0)
  const p95 = took.sort((a, b) => a - b)[95] ?? 0
  const limit = (times: number, leastMs: number) => Math.max(leastMs, Math.ceil(p95 * times * (heavy ? 2 : 1)))
  return { degradedResponseTime: limit(2.2, 50), maxResponseTime: limit(8, 500) }
}
