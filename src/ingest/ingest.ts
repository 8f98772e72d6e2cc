import type { Catalogue } from '../catalogue/catalogue.ts'
import { joined } from '../collections/lists.ts'
import { checkKey } from '../ids/check-ref.ts'
import { type Appended, type FiledResult, type Store, StoreUnavailable } from '../store/store.ts'
import { type BodyFormat, readBody, readBodyInTurns } from './body.ts'
import type { Cardinality } from './cardinality.ts'
import type { EvidenceDecoder } from './decode-evidence.ts'
import { evidenceReader, type PostedEvidence, withEvidence } from './posted-evidence.ts'
import { type ReadRows, type RejectedRow, readRows } from './read-rows.ts'
import { type RowReader, rowReader } from './row.ts'
import type { IncomingRow } from './rows.ts'

export type Outcome = { readonly accepted: number; readonly duplicates: number; readonly rejected: readonly RejectedRow[] }

/**
 * The sender of rows. `location` is set for agents: only results of that location, and of checks that agents run there, are stored, with
 * their evidence.
 */
type Sender = { readonly account: string; readonly location: string | null }

type IngestDeps = {
  readonly catalogue: Catalogue
  readonly store: Store
  readonly now: number
  readonly cardinality: Cardinality | null
}

/** Stores rows of one account; resolves once every accepted one is on disk. A bad row does not affect the others. */
export function ingest(account: string, rows: Iterable<IncomingRow>, deps: IngestDeps): Promise<Outcome> {
  return storeRows(readRows(rows, readerFor({ account, location: null }, deps)), deps.store)
}

/** The rows of a small body without evidence; throws if the body as a whole is invalid. */
export function readBodyOf(account: string, { body, format }: Body, deps: Omit<IngestDeps, 'store'>): ReadRows {
  return readBody(body, format, readerFor({ account, location: null }, deps))
}

/** Like `readBodyOf`, for a body of any size. */
export function readLargeBodyOf(account: string, { body, format }: Body, deps: Omit<IngestDeps, 'store'>): Promise<ReadRows> {
  return readBodyInTurns(body, format, readerFor({ account, location: null }, deps))
}

type AgentSender = Sender & { readonly location: string }

/** The rows of a body of agents, with their evidence; throws if the body as a whole is invalid. */
export async function readAgentBody(
  sender: AgentSender,
  { body, format }: Body,
  { decodeEvidence, ...deps }: Omit<IngestDeps, 'store'> & { readonly decodeEvidence: EvidenceDecoder },
): Promise<ReadRows> {
  const { catalogue } = deps
  const found: PostedEvidence[] = []
  const rulesOf = (checkId: string) => {
    const { evidence, limits } = catalogue.service()
    return { ...limits, mode: catalogue.check(sender.account, checkId)?.evidence ?? evidence }
  }
  const rows = await readBodyInTurns(body, format, evidenceReader(readerFor(sender, deps), rulesOf, found))
  return withEvidence(rows, found, decodeEvidence)
}

type Body = { readonly body: Buffer; readonly format: BodyFormat }

/** Results of some checks are refused for now; those of all others are on disk. */
export class PartlyRefused extends StoreUnavailable {
  readonly refusedChecks: readonly string[]
  readonly rejected: readonly RejectedRow[]
  constructor(cause: StoreUnavailable, refused: readonly FiledResult[], rejected: readonly RejectedRow[]) {
    super(cause.message, cause.retryAfterSeconds, { cause, publicReason: cause.publicReason })
    this.refusedChecks = [...new Set(refused.map(({ check }) => check.checkId))]
    this.rejected = rejected
  }
}

/** Stores validated rows; resolves once every accepted one is on disk, and may throw `PartlyRefused`. */
export async function storeRows(rows: ReadRows, store: Store): Promise<Outcome> {
  const [outcome] = await storeBatch([rows], store)
  if (outcome instanceof PartlyRefused) throw outcome
  return outcome as Outcome
}

/** Stores rows of several senders in one append; returns an outcome per sender. */
export async function storeBatch(batch: readonly ReadRows[], store: Store): Promise<readonly (Outcome | PartlyRefused)[]> {
  const { duplicates, refusal } = await append(joined(batch.map((each) => each.filed)), store)
  let end = 0
  let at = 0
  return batch.map(({ filed, rejected }) => {
    end += filed.length
    const first = at
    while (at < duplicates.length && (duplicates[at] as number) < end) at++
    const refused = refusal ? filed.filter(({ check }) => refusal.partly?.refusedChecks.has(checkKey(check))) : []
    if (refusal && refused.length > 0) return new PartlyRefused(refusal, refused, rejected)
    return { accepted: filed.length - (at - first), duplicates: at - first, rejected }
  })
}

/** `refusal` is set if the results of some checks are refused. */
async function append(filed: readonly FiledResult[], store: Store): Promise<Appended & { readonly refusal: StoreUnavailable | null }> {
  if (filed.length === 0) return { duplicates: [], refusal: null }
  try {
    return { ...(await store.append(filed)), refusal: null }
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error.partly === null) throw error
    return { duplicates: error.partly.duplicates, refusal: error }
  }
}

function readerFor({ account, location }: Sender, { catalogue, now, cardinality }: Omit<IngestDeps, 'store'>): RowReader {
  const typeOf = (checkId: string) => {
    const check = catalogue.check(account, checkId)
    return location === null || check?.agentLocations.includes(location) ? check?.checkType : undefined
  }
  return rowReader({ account, now, cardinality, location, typeOf })
}
