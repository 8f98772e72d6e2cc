import { type Logger, pino } from 'pino'
import type { Context } from '../context.ts'
import { readableLine } from './readable-log.ts'

export type ServerLog = Logger

/** Logs to standard error: JSON lines, or readable lines on a terminal. */
export function openLog({ settings, stderr }: Pick<Context, 'settings' | 'stderr'>): ServerLog {
  const options = { level: settings.logLevel, formatters: { level: (level: string) => ({ level }) } }
  if (!stderr.isTTY) return pino(options, pino.destination({ fd: 2, sync: true }))
  return pino(options, { write: (line: string) => stderr.write(readableLine(line)) })
}
