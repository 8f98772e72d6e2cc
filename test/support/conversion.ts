import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { load } from 'js-yaml'
import { expect } from 'vitest'
import type { ReportLine } from '../../src/cli/convert/report.ts'
import type { Env } from '../../src/config.ts'
import { command, type Ended } from './command.ts'
import { temporaryFolder } from './temporary-folder.ts'

type Entry = Readonly<Record<string, unknown>>
type AccountPart = {
  readonly checks?: readonly Entry[]
  readonly groups?: readonly { readonly id: string; readonly name: string; readonly checks: readonly Entry[] }[]
  readonly channels?: readonly Entry[]
  readonly alerts?: readonly Entry[]
  readonly maintenance?: readonly Entry[]
  readonly canary?: Entry
}

export type Conversion = {
  readonly folder: string
  /** The text of the config file, and its only account. */
  readonly text: string
  readonly account: AccountPart
  /** All checks by name, inside and outside of groups. */
  readonly checks: ReadonlyMap<string, Entry>
  readonly environment: Readonly<Record<string, string>>
  readonly lines: readonly ReportLine[]
  readonly carried: readonly { readonly item: string; readonly id: string }[]
  readonly rows: readonly Entry[]
  readonly ended: Ended
}

export const convertedAt = Date.UTC(2026, 10, 14, 12)

/** Converts files like a user. The output must be valid. */
export async function converted(from: string, files: readonly string[], env: Env = {}): Promise<Conversion> {
  const { folder, ended } = await convertRun(from, files, env)
  expect(ended).toMatchObject({ exitCode: 0 })
  const file = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : Buffer.alloc(0))
  const text = file('tidemark.yaml').toString()
  const environment = variablesOf(file('tidemark.env').toString())
  const validated = await command({ ...environment, TIDEMARK_CONFIG: join(folder, 'tidemark.yaml') }, ['validate'])
  expect(validated).toMatchObject({ exitCode: 0 })
  const account = (load(text) as { accounts: readonly AccountPart[] }).accounts[0] ?? {}
  const all = [...(account.checks ?? []), ...(account.groups ?? []).flatMap(({ checks }) => checks)]
  const { lines, checks: carried } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
  const results = file('results.ndjson.gz')
  const rows = results.length === 0 ? [] : gunzipSync(results).toString().trim().split('\n')
  const checks = new Map(all.map((check) => [String(check.name), check]))
  return { folder, text, account, checks, environment, lines, carried, rows: rows.map((row) => JSON.parse(row)), ended }
}

/** Converts files; may fail. */
export async function convertRun(
  from: string,
  files: readonly string[],
  env: Env = {},
): Promise<{ readonly folder: string; readonly ended: Ended }> {
  const folder = join(temporaryFolder(), 'out')
  const args = ['convert', from, ...files, '--out', folder, '--report', join(folder, 'report.json'), '--account', 'acme']
  return { folder, ended: await command(env, args, () => convertedAt) }
}

/** Parses an env file like a shell. */
function variablesOf(text: string): Readonly<Record<string, string>> {
  const line = /^(\w+)=(?:'([^']*)'|"((?:[^"\\]|\\.)*)")$/gms
  return Object.fromEntries(
    [...text.matchAll(line)].map(([, name = '', single, double = '']) => [name, single ?? double.replace(/\\(["\\$`])/g, '$1')]),
  )
}

/** The report lines of an item, as `outcome field`. */
export function reportedFor({ lines }: Conversion, item: string): readonly string[] {
  return lines.filter((line) => line.item === item).map(({ outcome, field }) => (field === null ? outcome : `${outcome} ${field}`))
}

/** The removed (`-`) and added (`+`) lines between two values, as one text: for goldens of converted settings. */
export function changesBetween(before: unknown, after: unknown): string {
  const [old, now] = [linesOf(before), linesOf(after)]
  const without = (lines: readonly string[], others: readonly string[]) => {
    const left = [...others]
    return lines.filter((line) => !left.includes(line) || left.splice(left.indexOf(line), 1).length === 0)
  }
  return [...without(old, now).map((line) => `- ${line}`), ...without(now, old).map((line) => `+ ${line}`)].join(' ')
}

function linesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split('\n').map((line) => line.trim())
  if (Array.isArray(value)) return value.flatMap(linesOf)
  if (typeof value !== 'object' || value === null) return [String(value)]
  if ('outcome' in value && 'why' in value) return [Object.values(value).join(' | ')]
  return Object.entries(value).flatMap(([name, part]) => linesOf(part).map((line) => `${name}: ${line}`))
}
