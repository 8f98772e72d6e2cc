import type { Command } from 'commander'
import { agentCommand } from './agent.ts'
import { backupCommand } from './backup.ts'
import { badgeCommand } from './badge.ts'
import { completionCommand } from './completion.ts'
import type { Context } from './context.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { keyCommand } from './key.ts'
import { linkCommand } from './link.ts'
import { maintenanceCommand } from './maintenance.ts'
import { newProgram } from './new-program.ts'
import { reportCommand } from './report.ts'
import { runCommand } from './run.ts'
import { serveCommand } from './serve.ts'
import { slaCommand } from './sla.ts'
import { sloCommand } from './slo.ts'
import { tailCommand } from './tail.ts'
import { validateCommand } from './validate.ts'

/** The command line: a command is a file in this folder and a line in this list. */
export function buildProgram(context: Context): Command {
  const commands = [
    serveCommand,
    agentCommand,
    demoCommand,
    runCommand,
    reportCommand,
    tailCommand,
    slaCommand,
    sloCommand,
    badgeCommand,
    importCommand,
    exportCommand,
    backupCommand,
    doctorCommand,
    validateCommand,
    keyCommand,
    linkCommand,
    maintenanceCommand,
    completionCommand,
  ]
  return newProgram(commands, context)
}
