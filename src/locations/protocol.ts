import type { Check, ServiceSettings } from '../catalogue/catalogue.ts'
import { structureFindings } from '../catalogue/structure.ts'
import type { CheckType } from '../checks/define.ts'

/** Which exchange an agent and a server understand. A server also understands every older number of its major version. */
export const protocolVersion = 1
export const oldestProtocol = 1

/** A check as it is sent to an agent, with its secrets. */
export type SentCheck = Pick<
  Check,
  | 'id'
  | 'name'
  | 'everyMs'
  | 'locations'
  | 'runParallel'
  | 'retry'
  | 'timeoutMs'
  | 'degradedResponseTimeMs'
  | 'maxResponseTimeMs'
  | 'settings'
  | 'secrets'
  | 'createdAt'
> & {
  readonly type: string
  /** Slots from this time on are the agent's, also those that are past; null where no other agent ran the check before. */
  readonly since: number | null
}

/** What an agent is to run. */
export type Assignment = {
  readonly protocol: number
  readonly account: string
  readonly location: string
  readonly addresses: ServiceSettings['addresses']
  readonly checks: readonly SentCheck[]
}

/** What an agent tells about itself with every request. */
export type AgentReport = {
  readonly instance: string
  /** Another one with each start of the agent. */
  readonly session: string
  readonly version: string
  readonly protocol: number
  /** The server's clock minus the agent's; null while it is not known. */
  readonly clockOffsetMs: number | null
  readonly stampsServerTime: boolean
  /** Results that wait in its outbox. */
  readonly backlog: number
  /** Results that it had to drop since its outbox was created. */
  readonly agentDropped: number
}

export function toSent(check: Check, since: number | null): SentCheck {
  const { id, name, checkType, everyMs, locations, runParallel, retry, timeoutMs, settings, secrets, createdAt } = check
  const { degradedResponseTimeMs, maxResponseTimeMs } = check
  const limits = { timeoutMs, degradedResponseTimeMs, maxResponseTimeMs }
  return { id, name, type: checkType.type, everyMs, locations, runParallel, retry, ...limits, settings, secrets, createdAt, since }
}

/** The check; undefined where this version of Tidemark lacks its type, or its settings are not known here. */
export function fromSent(sent: SentCheck, account: string, checkTypes: readonly CheckType[]): Check | undefined {
  const { type, since: _, ...check } = sent
  const checkType = checkTypes.find((one) => one.type === type)
  if (!checkType || structureFindings(checkType.settings, check.settings, []).length > 0) return undefined
  const { createdAt } = check
  return { ...check, account, checkType, activated: true, muted: false, agentLocations: [], evidence: null, tags: [], updatedAt: createdAt }
}
