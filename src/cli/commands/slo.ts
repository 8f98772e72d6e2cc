import { Command, InvalidArgumentError, Option } from 'commander'
import type { SloStatus } from '../../analytics/slo/status.ts'
import { idGrammar } from '../../ids/id-grammar.ts'
import { CommandFailure, type Context } from '../context.ts'
import { ask, asTyped } from '../remote/api-client.ts'
import { accountOption, keyOption, type Remote, type RemoteOptions, remoteOf } from '../remote/remote.ts'
import { sloTable } from '../terminal/slo-format.ts'

type SloOptions = RemoteOptions & {
  readonly target?: string
  readonly threshold?: string
  readonly by?: string
  readonly failIfBurning?: number
  readonly format: 'table' | 'json'
}

type WhatIf = { readonly target?: number; readonly thresholdMs?: number; readonly by?: 'runs' | 'time' }

export function sloCommand(context: Context): Command {
  return new Command('slo')
    .description('Query a running server for the attainment and remaining budgets of SLOs.')
    .argument('[id]', 'one SLO; default: all of the account')
    .option('--target <percent>', 'what if the target were this')
    .option('--threshold <ms>', 'what if the threshold of a latency objective were this')
    .addOption(new Option('--by <unit>', 'what if an availability objective counted runs or time').choices(['runs', 'time']))
    .option(
      '--fail-if-burning <rate>',
      'exit with status 1 if the 1h burn rate of any SLO is at least this; at 1, the budget lasts exactly as long as the window',
      parseRate,
    )
    .addOption(new Option('--format <format>', 'the output').choices(['table', 'json']).default('table'))
    .addOption(new Option('-u, --url <address>', 'the address of the server (TIDEMARK_URL)').default(context.settings.url))
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .addHelpText('after', '\nExit status: 0 success, 1 burning with --fail-if-burning, or no response.')
    .action((id: string | undefined, options: SloOptions) => slo(context, id, options))
}

async function slo({ stdout, stderr }: Context, id: string | undefined, options: SloOptions): Promise<void> {
  const body = await fetchSlos(remoteOf(options.url, options), id, options)
  const answer = JSON.parse(body) as SloStatus | readonly SloStatus[]
  const slos = [answer].flat() as readonly SloStatus[]
  stdout.write(options.format === 'json' ? `${body}\n` : sloTable(slos, stdout.columns))
  const burning = burningOf(slos, options.failIfBurning)
  if (burning.length === 0) return
  process.exitCode = 1
  for (const { id: own, burnRate } of burning)
    stderr.write(`${own} burns its budget at ${burnRate['1h']?.toFixed(2)} times the allowed rate.\n`)
}

async function fetchSlos(remote: Remote, id: string | undefined, options: SloOptions): Promise<string> {
  if (id !== undefined && !idGrammar.test(id)) throw new CommandFailure(`Unknown SLO ${id}. List them with: tidemark slo.`)
  const query = asTyped<WhatIf>({ target: options.target, thresholdMs: options.threshold, by: options.by })
  const { data } = await ask(remote, (client) =>
    id === undefined
      ? client.GET('/v1/slos', { params: { query }, parseAs: 'text' })
      : client.GET('/v1/slos/{id}', { params: { path: { id }, query }, parseAs: 'text' }),
  )
  return data
}

function burningOf(slos: readonly SloStatus[], rate: number | undefined): readonly SloStatus[] {
  return rate === undefined ? [] : slos.filter(({ burnRate }) => (burnRate['1h'] ?? 0) >= rate)
}

function parseRate(text: string): number {
  const rate = /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : 0
  if (rate <= 0) throw new InvalidArgumentError('It must be a number above 0, such as 2 or 14.4.')
  return rate
}
