import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { ConfigFaults } from './faults.ts'

/** The text of the config file; throws `ConfigFaults` if it cannot be read. */
export async function readConfigText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    const faults = [{ line: 1, text: reason(error) }]
    throw isSystemError(error) ? new UnreadableConfig(basename(file), faults) : new ConfigFaults(basename(file), faults)
  }
}

/** The operating system could not read the file, so nothing is known about its contents. */
export class UnreadableConfig extends ConfigFaults {}

const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error

function reason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file: create one, name another with --config, or try tidemark demo first'
  return `the file cannot be read (${code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : (code ?? String(error))})`
}
