import type { DocumentRef, LoggedVersion } from './document-log.ts'

/** Number of documents of a kind in an account, and their total characters. */
export type DocumentUsage = { readonly count: number; readonly characters: number }

/** The limits of an account for a kind; null for unlimited. */
export type LimitOf = (kind: string) => DocumentUsage | null

export type Excess = { readonly kind: string; readonly what: keyof DocumentUsage }

type Owner = Pick<DocumentRef, 'kind' | 'account'>
type OwnerGrowth = { readonly owner: Owner; readonly growth: DocumentUsage }
type WithBody = Pick<LoggedVersion, 'body'> | undefined

const none: DocumentUsage = { count: 0, characters: 0 }

/** Current usage by kind and account. */
export function createUsage() {
  const used = new Map<string, DocumentUsage>()
  const of = (owner: Owner): DocumentUsage => used.get(ownerKey(owner)) ?? none
  return {
    of,
    replace(owner: Owner, before: WithBody, after: WithBody): void {
      used.set(ownerKey(owner), sumOf(of(owner), growthOf(before, after)))
    },
    /** Sums up writes that are planned together. Returns the limit that a write would exceed; such a write is not counted. */
    plan() {
      const planned = new Map<string, DocumentUsage>()
      return (write: readonly OwnerGrowth[], limitOf: LimitOf): Excess | null => {
        const grown = new Map<string, OwnerGrowth>()
        for (const { owner, growth } of write)
          grown.set(ownerKey(owner), { owner, growth: sumOf(grown.get(ownerKey(owner))?.growth ?? none, growth) })
        const usedBy = (key: string) => planned.get(key) ?? used.get(key) ?? none
        for (const [key, { owner, growth }] of grown) {
          const limit = limitOf(owner.kind)
          const what = limit && exceeded(usedBy(key), growth, limit)
          if (what) return { kind: owner.kind, what }
        }
        for (const [key, { growth }] of grown) planned.set(key, sumOf(usedBy(key), growth))
        return null
      }
    },
  }
}

export function growthOf(before: WithBody, after: WithBody): DocumentUsage {
  const [old, next] = [before?.body ?? null, after?.body ?? null]
  return { count: Number(next !== null) - Number(old !== null), characters: (next?.length ?? 0) - (old?.length ?? 0) }
}

/** The exceeded limit; null if the write fits. A write that does not increase usage always fits. */
export function exceeded(used: DocumentUsage, growth: DocumentUsage, limit: DocumentUsage): keyof DocumentUsage | null {
  const isOver = (what: keyof DocumentUsage) => growth[what] > 0 && used[what] + growth[what] > limit[what]
  return (['count', 'characters'] as const).find(isOver) ?? null
}

const sumOf = (one: DocumentUsage, other: DocumentUsage): DocumentUsage => ({
  count: one.count + other.count,
  characters: one.characters + other.characters,
})

const ownerKey = ({ kind, account }: Owner) => JSON.stringify([kind, account])
