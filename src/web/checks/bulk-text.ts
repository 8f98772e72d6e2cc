import type { BulkChange, BulkDelete } from '../api/answers.ts'
import { plural } from '../view/figures.ts'

export type BulkAnswer = Omit<BulkDelete, 'deleted'> & Partial<Pick<BulkDelete, 'deleted'> & Pick<BulkChange, 'changed' | 'unchanged'>>

const fewNamed = 3

/** `3 changed. 1 is of the config file. Shop: …` */
export function bulkText({ changed, unchanged = 0, deleted, definedInFile, failed }: BulkAnswer, nameOf: (id: string) => string): string {
  const reasons = failed.slice(0, fewNamed).map(({ id, faults: [first] }) => `${nameOf(id)}: ${first?.message ?? ''}`)
  return [
    deleted === undefined ? `${plural(changed ?? 0, 'check')} changed.` : `${plural(deleted.length, 'check')} deleted.`,
    unchanged === 0 ? '' : `${plural(unchanged, 'check')} already had it.`,
    definedInFile === 0 ? '' : `${plural(definedInFile, 'check')} in the config file skipped.`,
    ...reasons,
    failed.length > fewNamed ? `And ${failed.length - fewNamed} more.` : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}
