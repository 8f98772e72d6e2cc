import { Command } from 'commander'
import { shortenedLines } from '../text/shortened.ts'
import type { Context } from './context.ts'
import { version } from './version.ts'

type CommandOf = (context: Context) => Command

/** A new command needs a file in `commands/` and an entry here. */
const commands: Readonly<Record<string, () => Promise<CommandOf>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  agent: async () => (await import('./commands/agent.ts')).agentCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  report: async () => (await import('./commands/report.ts')).reportCommand,
  tail: async () => (await import('./commands/tail.ts')).tailCommand,
  sla: async () => (await import('./commands/sla.ts')).slaCommand,
  slo: async () => (await import('./commands/slo.ts')).sloCommand,
  alert: async () => (await import('./commands/alert.ts')).alertCommand,
  badge: async () => (await import('./commands/badge.ts')).badgeCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  config: async () => (await import('./commands/config.ts')).configCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  convert: async () => (await import('./commands/convert.ts')).convertCommand,
  init: async () => (await import('./commands/init.ts')).initCommand,
  diff: async () => (await import('./commands/diff.ts')).diffCommand,
  schema: async () => (await import('./commands/schema.ts')).schemaCommand,
  validate: async () => (await import('./commands/validate.ts')).validateCommand,
  key: async () => (await import('./commands/key.ts')).keyCommand,
  link: async () => (await import('./commands/link.ts')).linkCommand,
  maintenance: async () => (await import('./commands/maintenance.ts')).maintenanceCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
}

/** The completion scripts list all other commands. */
const needsAll = 'completion'

/** Loads only the `wanted` command if possible: loading all takes longer than some commands run. */
export async function buildProgram(context: Context, wanted = ''): Promise<Command> {
  const isAlone = Object.hasOwn(commands, wanted) && wanted !== needsAll
  const loaded = Object.entries(commands).flatMap(([name, load]) => (isAlone && name !== wanted ? [] : [load()]))
  const program = new Command('tidemark')
    .description('Self-hosted synthetic monitoring: runs checks, stores every result, and computes exact analytics.')
    .version(version(), '-v, --version')
    .showHelpAfterError('Add --help for usage.')
  for (const command of await Promise.all(loaded)) program.addCommand(command(context).copyInheritedSettings(program))
  shortenErrors(program)
  return program
}

/** Errors echo arguments, which may be long. */
function shortenErrors(command: Command): void {
  command.configureOutput({ outputError: (message, write) => write(shortenedLines(message)) })
  command.commands.forEach(shortenErrors)
}
