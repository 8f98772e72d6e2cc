import { execFile } from 'node:child_process'
import { isIPv6 } from 'node:net'
import { asExhaustion, MachineExhausted } from '../probe/exhaustion.ts'
import { ProbeFault } from '../probe/failures.ts'
import type { Machine, RunContext } from '../probe/run.ts'

type Packets = { readonly address: string; readonly count: number; readonly timeoutMs: number }
type Ping = Packets & Pick<RunContext, 'signal' | 'env'>
type PingCommand = { readonly file: string; readonly args: readonly string[] }

const howToGetPing =
  'install it (Debian, Ubuntu: apt-get install iputils-ping · Fedora: dnf install iputils · Alpine: apk add iputils-ping)'
const howToPermitPing = 'allow it (setcap cap_net_raw+ep on the ping program, or sysctl net.ipv4.ping_group_range="0 2147483647")'

/** Search path for ping if the process has no `PATH`. */
const usualPath = '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/run/wrappers/bin'

/** Returns the output of the system's ping. Rejects if ping cannot be run or reports an error. */
export async function ping({ address, count, timeoutMs, signal, env }: Ping): Promise<string> {
  const { file, args } = pingCommand(process.platform, { address, count, timeoutMs })
  return new Promise((resolve, reject) => {
    const options = { signal, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024, env: { LC_ALL: 'C', PATH: env.PATH ?? usualPath } } as const
    execFile(file, args, options, (error, stdout, stderr) => {
      if (signal.aborted) return reject(signal.reason)
      const exhaustion = asExhaustion(error, 'ping')
      if (exhaustion instanceof MachineExhausted) return reject(exhaustion)
      if (error?.code === 'ENOENT' || error?.code === 'EACCES')
        return reject(new ProbeFault(`ping is missing on this machine: ${howToGetPing}`))
      if (stdout.includes('packets transmitted')) return resolve(stdout)
      reject(new ProbeFault(errorOf(stderr || stdout || error?.message || 'ping printed nothing')))
    })
  })
}

/** Null if this machine can ping, else a sentence that says what is missing and how to fix it. */
export async function icmpAvailable({ env }: Pick<Machine, 'env'>): Promise<string | null> {
  try {
    await ping({ address: '127.0.0.1', count: 1, timeoutMs: 2000, signal: AbortSignal.timeout(3000), env })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The command line; the address is a literal IP address, so it cannot be taken for an option. */
export function pingCommand(platform: NodeJS.Platform, { address, count, timeoutMs }: Packets): PingCommand {
  const intervalMs = Math.max(2, Math.min(200, Math.floor((timeoutMs - 1000) / count)))
  const replyTimeoutMs = Math.max(1000, Math.min(5000, timeoutMs - count * intervalMs - 500))
  const common = ['-n', '-c', String(count), '-i', String(intervalMs / 1000)]
  if (platform !== 'darwin') return { file: 'ping', args: [...common, '-W', String(Math.floor(replyTimeoutMs / 1000)), address] }
  return isIPv6(address)
    ? { file: 'ping6', args: [...common, address] }
    : { file: 'ping', args: [...common, '-W', String(replyTimeoutMs), address] }
}

function errorOf(text: string): string {
  const line = text.split('\n', 1)[0]?.trim().slice(0, 200) ?? ''
  return /not permitted|permission denied|lacking privilege/i.test(text) ? `ping is not permitted here: ${howToPermitPing}` : line
}
