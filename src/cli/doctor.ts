import { Command } from 'commander'
import { DataFolderError } from '../store/embedded/database.ts'
import { type Holding, type Inspection, inspect } from '../store/embedded/inspect.ts'
import { CommandFailure, type Context } from './context.ts'
import { demandData } from './data-folder.ts'
import { dataOption } from './options.ts'
import { alignedTable } from './table.ts'

export function doctorCommand(context: Context): Command {
  return new Command('doctor')
    .description('Read everything in the data folder and tell what is there, what is wrong, and what to do. Changes nothing.')
    .addOption(dataOption(context))
    .action(({ data }: { data: string }) => {
      demandData(data)
      const { holdings, problems } = inspected(data)
      context.stdout.write(table(holdings))
      if (problems.length > 0) throw new CommandFailure(diagnosis(data, problems))
      context.stdout.write(`\nAll is well: ${total(holdings)} results, each read and verified.\n`)
    })
}

/** A database that cannot even be opened is a finding, too. */
function inspected(data: string): Inspection {
  try {
    return inspect(data)
  } catch (error) {
    if (!(error instanceof DataFolderError)) throw error
    return { holdings: [], problems: [error.message.replace(/ Run: tidemark doctor.*$/, '')] }
  }
}

const head = ['account', 'check', 'results', 'hot', 'late', 'sealed days', 'chunks', 'bytes', 'first', 'last']
const figures = new Set([2, 3, 4, 5, 6, 7])

function table(holdings: readonly Holding[]): string {
  if (holdings.length === 0) return ''
  const rows = holdings.map(({ account, checkId, hot, sealed, late, days, chunks, bytes, first, last }) => [
    account,
    checkId,
    ...[hot + sealed, hot, late, days, chunks, bytes].map(String),
    day(first),
    day(last),
  ])
  return alignedTable(head, rows, figures)
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
    '  2. If there is a backup (tidemark backup), serve that, and import what has come in since.',
    '  3. If there is none: tidemark export every check that can still be read, and import that into a new folder.',
    '  4. Look at the disk and the memory of this machine: a healthy one does not do this.',
  ].join('\n')
}
