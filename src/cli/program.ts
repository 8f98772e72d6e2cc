import { Command } from 'commander'
import { shortenedLines } from '../text/shortened.ts'
import type { Context } from './context.ts'
import { version } from './version.ts'

type CommandOf = (context: Context) => Command

/** The command line: a command is a file in this folder and a line in this list. */
const commands: Readonly<Record<string, () => Promise<CommandOf>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  agent: async () => (await import('./agent.ts')).agentCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  run: async () => (await import('./run.ts')).runCommand,
  report: async () => (await import('./report.ts')).reportCommand,
  tail: async () => (await import('./tail.ts')).tailCommand,
  sla: async () => (await import('./sla.ts')).slaCommand,
  slo: async () => (await import('./slo.ts')).sloCommand,
  badge: async () => (await import('./badge.ts')).badgeCommand,
  import: async () => (await import('./import.ts')).importCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  validate: async () => (await import('./validate.ts')).validateCommand,
  key: async () => (await import('./key.ts')).keyCommand,
  link: async () => (await import('./link.ts')).linkCommand,
  maintenance: async () => (await import('./maintenance.ts')).maintenanceCommand,
  completion: async () => (await import('./completion.ts')).completionCommand,
}

/** Its completion scripts tell of all others. */
const needsAll = 'completion'

/** The program; with only one of its commands where that is the one `wanted`, since loading all takes longer than some of them. */
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

/** Errors echo what was given, which may be long. */
function shortenErrors(command: Command): void {
  command.configureOutput({ outputError: (message, write) => write(shortenedLines(message)) })
  command.commands.forEach(shortenErrors)
}
