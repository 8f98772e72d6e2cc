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
  ENOSPC: 'the disk for temporary files is full',
  EDQUOT: 'the disk quota for temporary files is used up',
}

/** A run failed because this machine lacks a resource, which says nothing about the target. */
export class MachineExhausted extends Error {
  override readonly name = 'MachineExhausted'
}

/** Converts an error caused by exhaustion to `MachineExhausted`; returns any other error unchanged. */
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
  // A thread may be lost because it could not read its modules; the system error is then its cause.
  return Object.hasOwn(lacking, code) ? code : exhaustionCode(error.cause)
}

/** Whether this machine has an address of the target's family. Without one, EADDRNOTAVAIL does not mean that ports are exhausted. */
function couldReach(error: NodeJS.ErrnoException & { readonly address?: string; readonly port?: number }): boolean {
  const { address, port } = error
  if (address === undefined || port === 0) return false
  const family = isIPv6(address) ? 'IPv6' : 'IPv4'
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some((one) => one.family === family))
}

/** Checked directly, since the system's resolver reports an unknown name when it cannot open its files. */
function canOpenFiles(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'))
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code !== 'EMFILE' && code !== 'ENFILE'
  }
}
