import { InvalidArgumentError, Option } from 'commander'
import { type Edge, parseEdge } from '../analytics/resolve-window.ts'
import { findZone, nearestZones, type Zone } from '../calendar/zone.ts'
import { durationMs } from '../checks/duration.ts'
import { basePathOf, portOf } from '../config.ts'
import type { Context } from './context.ts'

/** Options of several commands, each with an environment variable. */
export const configOption = ({ settings }: Context) =>
  new Option('-c, --config <file>', 'the config file (TIDEMARK_CONFIG)').default(settings.configFile)

export const dataOption = ({ settings }: Context) =>
  new Option('-d, --data <folder>', 'the data folder (TIDEMARK_DATA)').default(settings.dataDir)

export const portOption = ({ settings }: Context) =>
  new Option('-p, --port <port>', 'the port to listen on, 0 for any free one (TIDEMARK_PORT)').default(settings.port).argParser(parsePort)

export const hostOption = ({ settings }: Context) =>
  new Option('--host <address>', 'the address to listen on (TIDEMARK_HOST)').default(settings.host)

export const basePathOption = ({ settings }: Context) =>
  new Option('--base-path <path>', 'the base path behind a reverse proxy, such as /tidemark (TIDEMARK_BASE_PATH)')
    .default(settings.basePath, settings.basePath || 'none')
    .argParser(parseBasePath)

const timeWords = 'It must be a time such as 2026-11-14T10:00:00Z, 2026-11-14, unix seconds, or -90m, -24h or -7d, counted back from now.'

/** Parses a time like the API, or a duration back from now. */
export function timeParser({ now }: Context): (text: string) => Edge {
  return (text) => {
    const time = timeBefore(text, now()) ?? parseEdge(text)
    if (time === undefined) throw new InvalidArgumentError(timeWords)
    return time
  }
}

function timeBefore(text: string, now: number): number | undefined {
  const duration = /^-([1-9][0-9]{0,5}[smhd])$/.exec(text)?.[1]
  return duration === undefined ? undefined : now - durationMs(duration)
}

export const timezoneOption = () =>
  new Option('--timezone <zone>', 'the time zone of dates, calendar ranges and buckets, such as Europe/Berlin; default: UTC').argParser(
    parseZone,
  )

function parseZone(name: string): Zone {
  const zone = findZone(name)
  if (!zone) throw new InvalidArgumentError(`Unknown time zone. Nearest: ${nearestZones(name).join(', ')}.`)
  return zone
}

function parseBasePath(text: string): string {
  try {
    return basePathOf(text, '--base-path')
  } catch {
    throw new InvalidArgumentError('It must be a path such as /tidemark.')
  }
}

function parsePort(text: string): number {
  try {
    return portOf(text, '--port')
  } catch {
    throw new InvalidArgumentError('It must be a port from 0 to 65535.')
  }
}

export function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** For a repeatable option that takes a list. */
export function collectNames(text: string, before: readonly string[]): readonly string[] {
  return [...new Set([...before, ...parseList(text)])]
}
