import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { grouped } from '../src/collections/lists.ts'
import { median, type Ratio } from './measure.ts'

/** Rounds alternate between the commits, so that both see the same machine load. */
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const benches = (process.env.BENCH_NAMES ?? 'badge,export').split(',')
const [before = 'HEAD~1', after = 'HEAD'] = process.argv.slice(2)
/** Ratios that are worse by less than this are noise. */
const tolerance = 0.1

const bench = fileURLToPath(new URL('.', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'tidemark-trend-'))
const commits = [before, after].map((name, i) => checkOut(name, join(folder, String(i))))
try {
  for (let round = 1; round <= rounds; round++)
    for (const { name, clone, ratios } of commits)
      for (const each of benches) {
        console.error(`Round ${round} of ${rounds}: bench:${each} of ${name}`)
        measure(each, clone, ratios)
      }
  print()
} finally {
  for (const { clone } of commits) run('git', ['worktree', 'remove', '--force', clone])
  rmSync(folder, { recursive: true, force: true })
}

/** Checks out a commit and copies this working tree's benches into it, so that both commits are measured alike. */
function checkOut(commit: string, clone: string) {
  run('git', ['worktree', 'add', '--detach', clone, commit])
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], clone)
  run('npm', ['run', '-s', 'build'], clone)
  const notData = (path: string) => path !== join(bench, 'data')
  cpSync(bench, join(clone, 'bench'), { recursive: true, force: true, filter: notData })
  return { name: text('git', ['log', '-1', '--format=%h %s', commit]), clone, ratios: `${clone}.jsonl` }
}

/** A bench exits with an error if it misses a bar, so only missing ratios mean that it could not measure. */
function measure(name: string, clone: string, ratios: string): void {
  const written = () => (existsSync(ratios) ? readFileSync(ratios).length : 0)
  const before = written()
  const env = { ...process.env, BENCH_RATIOS: ratios }
  const { stderr } = spawnSync('npm', ['run', '-s', `bench:${name}`], { cwd: join(clone, 'bench'), env, encoding: 'utf8' })
  if (written() === before) throw new Error(`bench:${name} measured nothing: ${stderr}`)
}

function print(): void {
  const [old = new Map<string, Ratio>(), current = new Map<string, Ratio>()] = commits.map(({ ratios }) => mediansOf(ratios))
  const worse: string[] = []
  console.log(`| ratio | bar | ${commits.map(({ name }) => name).join(' | ')} |\n|---|---|---|---|`)
  for (const { name, ratio, bar, better } of current.values()) {
    const was = old.get(name)?.ratio
    console.log(`| ${name} | ${better === 'higher' ? '≥' : '≤'} ${bar} | ${was?.toFixed(2) ?? '–'} | ${ratio.toFixed(2)} |`)
    if (was !== undefined && (better === 'higher' ? ratio < was * (1 - tolerance) : ratio > was * (1 + tolerance))) worse.push(name)
  }
  if (worse.length > 0) console.log(`\nWorse by more than ${tolerance * 100} %: ${worse.join('; ')}`)
  process.exitCode = worse.length > 0 || current.size === 0 ? 1 : 0
}

function mediansOf(file: string): ReadonlyMap<string, Ratio> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const byName = grouped(
    lines.map((line) => JSON.parse(line) as Ratio),
    ({ name }) => name,
  )
  return new Map(
    Array.from(byName, ([name, all]) => [name, { ...(all[0] as Ratio), ratio: median(all.map(({ ratio }) => ratio)) }] as const),
  )
}

function run(command: string, args: readonly string[], cwd = bench): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
}

function text(command: string, args: readonly string[]): string {
  return spawnSync(command, args, { cwd: bench, encoding: 'utf8' }).stdout.trim()
}
