import { closeSync, openSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** The exhausted resource, by system error code. */
const lacking: Readonly<Record<string, string>> = {
  EMFILE: 'this process has too many open files',
  ENFILE: 'this machine has too many open files',
  EAGAIN: 'this machine can start no more processes',
  ENOMEM: 'this machine is out of memory',
  ENOBUFS: 'this machine is out of network buffers',
  EADDRNOTAVAIL: 'this machine is out of local ports',
}

/** A run could not be made because this machine lacks something: that says nothing about its target. */
export class MachineExhausted extends Error {
  override readonly name = 'MachineExhausted'
}

/** Such an error as `MachineExhausted`; any other as it is. */
export function asExhaustion(error: unknown, at: string): unknown {
  if (error instanceof MachineExhausted) return error
  const code = exhaustionCode(error)
  return code === null ? error : new MachineExhausted(`${lacking[code]} (${code}) at ${at}`, { cause: error })
}

function exhaustionCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException
  if (code === 'EAGAIN' && !syscall.startsWith('spawn')) return null
  if (code === 'EADDRNOTAVAIL' && !couldReach(error)) return null
  if ((code === 'ENOTFOUND' || code === 'EAI_AGAIN') && !canOpenFiles()) return 'EMFILE'
  // A thread that cannot read its modules is lost because of that.
  return Object.hasOwn(lacking, code) ? code : exhaustionCode(error.cause)
}

/** Whether there is an address to call from: without one of that family, a target can never be reached. */
function couldReach(error: NodeJS.ErrnoException & { readonly address?: string; readonly port?: number }): boolean {
  const { address, port } = error
  if (address === undefined || port === 0) return false
  const family = isIPv6(address) ? 'IPv6' : 'IPv4'
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some((one) => one.family === family))
}

/** The system's resolver calls it a name that is not found where it cannot open its files. */
function canOpenFiles(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'))
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code !== 'EMFILE' && code !== 'ENFILE'
  }
}
