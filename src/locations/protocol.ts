import type { Check, EvidenceMode, ServiceSettings } from '../catalogue/catalogue.ts'
import { structureFindings } from '../catalogue/config-file/structure.ts'
import type { CheckType } from '../checks/define.ts'

/** The version of the protocol between agents and servers. A server understands all earlier ones of its own major version. */
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
  | 'evidence'
  | 'settings'
  | 'secrets'
  | 'createdAt'
> & {
  /** Absent from older servers. */
  readonly failingEveryMs?: number | null
  readonly type: string
  /** The agent is responsible for slots from this time on, including past ones; null if no other agent ran the check before. */
  readonly since: number | null
  /** Null if its runs need no files. */
  readonly scripts: SentScripts | null
}

/** The name of the bundle with the files of a check, or why they are not sent. */
export type SentScripts = { readonly bundle: string } | { readonly problem: string }

/** The work of an agent. */
export type Assignment = {
  readonly protocol: number
  readonly account: string
  readonly location: string
  readonly addresses: ServiceSettings['addresses']
  /** The evidence mode of checks without one of their own, and the size limits of evidence. */
  readonly evidence: SentEvidence
  readonly checks: readonly SentCheck[]
  /** Canaries of the location, `host:port`; absent if the config file has none, and from older servers. */
  readonly canaries?: readonly string[]
  /** Absent if there are none, and from older servers. */
  readonly trials?: readonly SentTrial[]
}

/** A check that is not stored: the agent runs it once, now, and sends the outcome to `/v1/agents/trials/{id}`. */
export type SentTrial = { readonly id: string; readonly check: SentCheck }

/** The outcome of a trial: a result with its evidence in base64, or why the agent could not run the check. */
export type TrialAnswer = { readonly result: unknown } | { readonly problem: string }

type SentEvidence = { readonly mode: EvidenceMode; readonly evidenceBytes: number; readonly screenshotBytes: number }

/** The agent's report about itself, with every request. */
export type AgentReport = {
  readonly instance: string
  /** Its display name; null for none. */
  readonly name: string | null
  /** A new one for each start of the agent. */
  readonly session: string
  readonly version: string
  readonly protocol: number
  /** The server's clock minus the agent's; null while it is not known. */
  readonly clockOffsetMs: number | null
  readonly stampsServerTime: boolean
  /** Results waiting in its outbox. */
  readonly backlog: number
  /** Results that it had to drop since its outbox was created. */
  readonly agentDropped: number
  /** Whether it reaches any of the canaries of its location; null if it has none or has not probed them yet. */
  readonly canary: CanaryReport | null
  /** Time since that probe began; null if the agent does not report it. */
  readonly canaryAgeMs: number | null
  /** Whether it runs trials; absent from older agents. */
  readonly takesTrials?: boolean
}

export const canaryEveryMs = 15_000
export const canaryReports = ['reached', 'unreached'] as const
type CanaryReport = (typeof canaryReports)[number]

type Dealt = Pick<SentCheck, 'since' | 'scripts' | 'settings'>

export function toAgent(check: Check, dealt: Dealt): SentCheck {
  const { id, name, checkType, everyMs, failingEveryMs, locations, runParallel, retry, timeoutMs, evidence, secrets, createdAt } = check
  const { degradedResponseTimeMs, maxResponseTimeMs } = check
  const limits = { timeoutMs, degradedResponseTimeMs, maxResponseTimeMs }
  return {
    id,
    name,
    type: checkType.type,
    everyMs,
    failingEveryMs,
    locations,
    runParallel,
    retry,
    ...limits,
    evidence,
    secrets,
    createdAt,
    ...dealt,
  }
}

/** A row of a body has to hold evidence in addition to the result, so agents are sent no higher limits than these. */
const maxEvidence = { evidenceBytes: 32_768, screenshotBytes: 131_072 }

export function toSentEvidence({ evidence: mode, limits }: Pick<ServiceSettings, 'evidence' | 'limits'>): SentEvidence {
  return {
    mode,
    evidenceBytes: Math.min(limits.evidenceBytes, maxEvidence.evidenceBytes),
    screenshotBytes: Math.min(limits.screenshotBytes, maxEvidence.screenshotBytes),
  }
}

/** Undefined if this version of Tidemark does not know the check type or its settings. */
export function checkFromServer(sent: SentCheck, account: string, checkTypes: readonly CheckType[]): Check | undefined {
  const { type, since: _, scripts: __, ...check } = sent
  const checkType = checkTypes.find((one) => one.type === type)
  if (!checkType || structureFindings(checkType.settings, check.settings, []).length > 0) return undefined
  const { createdAt, failingEveryMs = null } = check
  const unknownHere = {
    activated: true,
    muted: false,
    agentLocations: [],
    tags: [],
    dependsOn: [],
    alerts: null,
    written: {},
    origin: { file: null, group: null },
  }
  return { ...check, ...unknownHere, failingEveryMs, account, checkType, updatedAt: createdAt }
}
