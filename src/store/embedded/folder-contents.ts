import { allTime } from '../../calendar/window.ts'
import { positionsOf } from '../query/parts/part.ts'
import type { Reader } from '../query/question-reader.ts'
import { createQuestions } from '../questions/questions.ts'
import type { CheckRef } from '../store.ts'
import { inlineWorker } from '../threads/worker.ts'
import type { Contents, Destination, Digest, EvidenceSize, StoredCheck } from '../transfer/contents.ts'
import { createDigests } from '../transfer/identity-digest.ts'
import { openForReading } from './disk/database.ts'
import { openDefinitions } from './disk/definitions.ts'
import { openDocumentReader } from './disk/documents.ts'
import { DataFolderError, isUnwritable } from './disk/errors.ts'
import { openEvidence } from './disk/evidence.ts'
import { lock } from './disk/lock.ts'
import { type Database, readSnapshot } from './disk/sqlite.ts'
import { createEmbeddedStore } from './embedded-store.ts'
import { openFolderReader } from './query/folder-reader.ts'
import { openStoredDays } from './query/stored-days.ts'

const cacheBytes = 16 * 2 ** 20
const scanSize = 1000

/** The contents of a data folder, even while a server is using it. */
export function openFolderContents(directory: string): Contents {
  const reader = openFolderReader(directory, cacheBytes)
  const { totals: _, ...questions } = createQuestions({
    readers: inlineWorker<Reader>(reader),
    count: async () => 0,
    maxQuestionCost: Number.POSITIVE_INFINITY,
    scanSize,
  })
  const database = openForReading(directory)
  return {
    name: directory,
    ...questions,
    ...readContents(database),
    claim: () => claim(directory),
    async close() {
      database.close()
      reader.close()
    },
  }
}

/** A data folder to which results are added. It may be new; no server may be using it. */
export async function openFolderDestination(directory: string): Promise<Destination> {
  const { append, addDefinitions, documents, close } = await createEmbeddedStore({ directory, workers: 0, log: logUnexpected })
  const contents = openFolderContents(directory)
  return {
    ...contents,
    append,
    addDefinitions,
    addDocuments: documents.addVersions,
    async close() {
      await contents.close()
      await close()
    },
  }
}

/** If nothing can be written, the next append fails as well and reports it. */
function logUnexpected(problem: unknown): void {
  if (!isUnwritable(problem)) console.error(problem)
}

type Listed = Pick<Contents, 'checks' | 'dayCounts' | 'digests' | 'evidenceIn' | 'readEvidence' | 'definitionsOf' | 'documentsAfter'>

function readContents(database: Database): Listed {
  const days = openStoredDays(database, cacheBytes, () => {})
  const evidence = openEvidence(database)
  const definitionsOf = openDefinitions(database)
  const documents = openDocumentReader(database)
  /** The revision changes with every append (a segment with a higher number) and every sealing (another edition). */
  const selectChecks = database.prepare(`
    SELECT account, checkId, edition || ' ' || coalesce((SELECT max(segment) FROM hot WHERE hot.series = key), 0) AS revision,
      (SELECT total(results) FROM day WHERE day.series = key) + (SELECT total(results) FROM hot WHERE hot.series = key) AS results
    FROM series WHERE segments + days > 0 OR fingerprint IS NOT NULL ORDER BY account, checkId
  `)
  return {
    checks: async (): Promise<readonly StoredCheck[]> => selectChecks.all(),
    dayCounts: async (checks) =>
      checks.map((check) =>
        readSnapshot(database, () => days(check, allTime, 'day by day').map(({ day, count }) => ({ day, results: count() }))),
      ),
    digests: async (check, window, widthMs) => readSnapshot(database, () => digestsOf(days(check, window, 'day by day'), widthMs)),
    evidenceIn: async (check, window) => evidence.within(check, window),
    readEvidence: async (check, listed) => readListed(evidence, check, listed),
    definitionsOf: async (checks) => checks.map(definitionsOf),
    documentsAfter: async (place, limit) => documents.after(place, limit),
  }
}

function digestsOf(days: ReturnType<ReturnType<typeof openStoredDays>>, widthMs: number): readonly Digest[] {
  const digests = createDigests(widthMs)
  for (const { part } of days) {
    const results = part()
    const positionAt = positionsOf(results)
    for (let row = 0; row < results.count; row++) digests.add(positionAt(row))
  }
  return digests.all()
}

function readListed(
  evidence: ReturnType<typeof openEvidence>,
  check: CheckRef,
  listed: readonly EvidenceSize[],
): ReadonlyMap<string, Uint8Array> {
  return new Map(
    listed.flatMap(({ startedAt, resultId }) => {
      const body = evidence.of(check, { startedAt, id: resultId })
      return body ? [[resultId, body] as const] : []
    }),
  )
}

/** Null if a server holds the folder, or without write permission, since a server of another user may be using it. */
function claim(directory: string): (() => void) | null {
  try {
    return lock(directory)
  } catch (error) {
    if (error instanceof DataFolderError) return null
    throw error
  }
}
