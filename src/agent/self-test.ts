import { lookup as resolve } from 'node:dns/promises'
import type { CheckType } from '../checks/define.ts'
import type { Machine } from '../checks/probe/run.ts'
import { checkTypes as registry } from '../checks/registry.ts'
import type { ServerAnswer, ServerConnection } from './server-connection.ts'
import type { ServerTime } from './server-time.ts'

/** The tested part, and its problem; null for none. */
export type SelfTestFinding = { readonly subject: string; readonly problem: string | null; readonly detail?: string }

type Options = {
  readonly machine: Machine
  readonly server: URL
  readonly connection: Pick<ServerConnection, 'send'>
  readonly serverTime: Pick<ServerTime, 'offsetMs' | 'isOff'>
  readonly checkTypes?: readonly CheckType[]
  /** Resolves a host name; default: as the system does. */
  readonly lookup?: (hostname: string) => Promise<{ readonly address: string }>
}

/** Tests the requirements of an agent: the programs that runs start, name resolution, the server and the clock. */
export async function selfTest(options: Options): Promise<readonly SelfTestFinding[]> {
  const { machine, server, connection, serverTime, checkTypes = registry, lookup = resolve } = options
  const testable = checkTypes.filter((checkType) => checkType.selfTest !== undefined)
  const [programs, dns, reach] = await Promise.all([
    Promise.all(testable.map((checkType) => programFinding(checkType, machine))),
    dnsFinding(server.hostname.replace(/^\[|\]$/g, ''), lookup),
    reachFinding(connection),
  ])
  return [...programs, dns, reach, clockFinding(serverTime)]
}

async function programFinding({ label, selfTest: test }: CheckType, machine: Machine): Promise<SelfTestFinding> {
  const problem = await test?.(machine).catch((error: Error) => error.message)
  return { subject: label, problem: problem ?? null }
}

async function dnsFinding(hostname: string, lookup: NonNullable<Options['lookup']>): Promise<SelfTestFinding> {
  return lookup(hostname).then(
    ({ address }) => ({ subject: 'name resolution', problem: null, detail: `${hostname} is ${address}` }),
    (error: NodeJS.ErrnoException) => ({ subject: 'name resolution', problem: `${hostname} cannot be resolved (${error.code}).` }),
  )
}

async function reachFinding(connection: Pick<ServerConnection, 'send'>): Promise<SelfTestFinding> {
  return connection.send('health/live', { timeoutMs: 5000 }).then(
    (answer) => ({
      subject: 'server',
      problem: isAlive(answer) ? null : `It returned ${answer.status} at /health/live, but is not Tidemark.`,
    }),
    (error: Error) => ({ subject: 'server', problem: error.message }),
  )
}

function isAlive({ status, body }: ServerAnswer): boolean {
  return status === 200 && /"status": ?"ok"/.test(body)
}

function clockFinding({ offsetMs, isOff }: Pick<ServerTime, 'offsetMs' | 'isOff'>): SelfTestFinding {
  const offset = offsetMs()
  if (offset === null) return { subject: 'clock', problem: 'Could not compare it with the server clock.' }
  const difference = `${Math.abs(offset)} ms`
  if (!isOff()) return { subject: 'clock', problem: null, detail: `within ${difference}` }
  const direction = offset > 0 ? 'behind' : 'ahead of'
  const problem = `It is ${difference} ${direction} that of the server, so results are stamped in the server's time. Synchronize it by NTP.`
  return { subject: 'clock', problem }
}
