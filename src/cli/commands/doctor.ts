import { Command } from 'commander'
import { refOf } from '../../catalogue/catalogue.ts'
import { ConfigFaults } from '../../catalogue/config-file/faults.ts'
import { readInventory } from '../../catalogue/open.ts'
import { checkKey } from '../../ids/check-ref.ts'
import { checkKind, readDocument } from '../../managed/managed-document.ts'
import { DamagedFolder } from '../../store/embedded/disk/errors.ts'
import { type Holding, type Inspection, inspect } from '../../store/embedded/disk/inspect.ts'
import { CommandFailure, type Context } from '../context.ts'
import { failCommand, requireData } from '../data-folder.ts'
import { allHeads } from '../managed/all-heads.ts'
import { configOption, dataOption } from '../options.ts'
import { alignedTable } from '../terminal/table.ts'

export function doctorCommand(context: Context): Command {
  return new Command('doctor')
    .description('Read and verify everything in the data folder, and report problems and fixes. Changes nothing.')
    .addOption(dataOption(context))
    .addOption(configOption(context))
    .action(async ({ data, config }: { data: string; config: string }) => {
      requireData(data)
      const { holdings, problems } = inspected(data)
      const managed = await managedNames(data).catch((error) => (problems.length > 0 ? noNames : failCommand(error)))
      const { nameOf, missing } = await namesIn(config, managed, context)
      context.stdout.write(table(holdings, nameOf, context.stdout.columns))
      if (missing !== null && holdings.length > 0) context.stdout.write(`\n${missing}\n`)
      if (problems.length > 0) throw new CommandFailure(diagnosis(data, problems))
      context.stdout.write(`\nNo problems found: ${total(holdings)} results, each read and verified.\n`)
    })
}

/** A damaged database that cannot be opened is reported as a problem. One with another layout is not damaged, so it still throws. */
function inspected(data: string): Inspection {
  try {
    return inspect(data)
  } catch (error) {
    if (!(error instanceof DamagedFolder)) return failCommand(error)
    return { holdings: [], problems: [error.message.replace(/ Run: tidemark doctor.*$/, '')] }
  }
}

type Names = { readonly nameOf: (check: Holding) => string; readonly missing: string | null }

/** Check names by `checkKey`. */
type NamesByKey = ReadonlyMap<string, string>

const noNames: NamesByKey = new Map()

/** Names of checks managed over the API, from the data folder. */
async function managedNames(data: string): Promise<NamesByKey> {
  const heads = await allHeads({ directory: data })
  return new Map(
    heads.flatMap(({ kind, account, id, body }) =>
      kind === checkKind && body !== null ? [[checkKey({ account, checkId: id }), String(readDocument(body).definition.name)]] : [],
    ),
  )
}

/** Names of checks from the config file, since results only have ids. Without a valid file the report lacks them. */
async function namesIn(file: string, managed: NamesByKey, { env }: Context): Promise<Names> {
  try {
    const { checks } = await readInventory(file, env)
    const names = new Map([...checks.map((check) => [checkKey(refOf(check)), check.name] as const), ...managed])
    return { nameOf: ({ account, checkId }) => names.get(checkKey({ account, checkId })) ?? '(not configured)', missing: null }
  } catch (error) {
    if (!(error instanceof ConfigFaults)) throw error
    const [fault] = error.message.split('\n')
    const nameOf = ({ account, checkId }: Holding) => managed.get(checkKey({ account, checkId })) ?? '–'
    return { nameOf, missing: `Check names are missing, because the config file is invalid: ${fault}` }
  }
}

const head = ['account', 'check', 'name', 'results', 'hot', 'late', 'sealed days', 'chunks', 'bytes', 'first', 'last']
const figures = new Set([3, 4, 5, 6, 7, 8])

function table(holdings: readonly Holding[], nameOf: Names['nameOf'], width: number | undefined): string {
  if (holdings.length === 0) return ''
  const rows = holdings.map((holding) => {
    const { account, checkId, hot, sealed, late, days, chunks, bytes, first, last } = holding
    const counts = [hot + sealed, hot, late, days, chunks, bytes].map(String)
    return [account, checkId, nameOf(holding), ...counts, day(first), day(last)]
  })
  return alignedTable(head, rows, { right: figures, width })
}

const day = (time: number | null) => (time === null ? '–' : new Date(time).toISOString().slice(0, 10))
const total = (holdings: readonly Holding[]) => holdings.reduce((sum, { hot, sealed }) => sum + hot + sealed, 0)

function diagnosis(data: string, problems: readonly string[]): string {
  return [
    `\nThe data in ${data} is damaged:`,
    ...problems.map((problem) => `  - ${problem}`),
    '',
    'What to do:',
    '  1. Stop the server and keep a copy of the folder as it is.',
    '  2. If there is a backup (tidemark backup), serve that, and import what was received since.',
    '  3. If there is none: tidemark export every check that can still be read, and import that into a new folder.',
    '  4. Check the disk and the memory of this machine: damage of this kind points to a hardware fault.',
  ].join('\n')
}
