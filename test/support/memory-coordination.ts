import type { Call, Claim, Coordination, VersionedRow } from '../../src/store/coordination.ts'

/** In-memory coordination between processes, like a database after it has merged. */
export function memoryCoordination() {
  const claims = new Map<string, Claim>()
  const rows = new Map<string, VersionedRow>()
  const asked = new Map<string, Call>()
  const answers = new Map<string, string>()
  const byVersion = () => [...rows.values()].sort((a, b) => a.version - b.version)

  const coordination: Coordination = {
    claims: {
      read: async () => [...claims.values()].sort((a, b) => b.term - a.term),
      write: async (claim) => void claims.set(`${claim.term} ${claim.owner}`, claim),
      async deleteBefore(term) {
        for (const [key, claim] of claims) if (claim.term < term) claims.delete(key)
      },
    },
    rows: {
      after: async (version, limit) =>
        byVersion()
          .filter((row) => row.version > version)
          .slice(0, limit),
      ofKind: async (kind) => byVersion().filter((row) => row.kind === kind),
      async write(written) {
        for (const row of written) {
          const key = JSON.stringify([row.kind, row.key])
          if ((rows.get(key)?.version ?? 0) <= row.version) rows.set(key, row)
        }
      },
      expire: async () => {},
    },
    calls: {
      ask: async (call) => void asked.set(call.id, call),
      unanswered: async () => [...asked.values()].filter(({ id }) => !answers.has(id)),
      answer: async ({ id, body }) => void answers.set(id, body),
      answerTo: async (id) => answers.get(id) ?? null,
    },
    close: async () => {},
  }
  return { coordination, claims, rows: byVersion, asked, answers }
}
