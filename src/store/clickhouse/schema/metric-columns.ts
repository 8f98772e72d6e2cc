import type { CheckType } from '../../../checks/define.ts'
import { checkTypes as registry } from '../../../checks/registry.ts'

/** Names of the metrics and fields that results carry, each with its own column: those of runs, and those of pages. */
export type MetricColumns = { readonly values: readonly string[]; readonly pageValues: readonly string[] }

/** Valid column names: no other name becomes part of a statement. */
const nameGrammar = /^[A-Za-z][A-Za-z0-9]{0,62}$/

/** The metrics and fields of all check types. */
export function registeredColumns(checkTypes: readonly CheckType[] = registry): MetricColumns {
  const metrics = checkTypes.flatMap(({ metrics }) => Object.entries(metrics))
  const namesOf = (perPage: boolean) => metrics.filter(([, metric]) => Boolean(metric.perPage) === perPage).map(([name]) => name)
  return distinctColumns({ values: [...namesOf(false), ...checkTypes.flatMap(({ fields }) => fields)], pageValues: namesOf(true) })
}

function distinctColumns({ values, pageValues }: MetricColumns): MetricColumns {
  return { values: [...new Set(values)].sort(), pageValues: [...new Set(pageValues)].sort() }
}

export function requireValidNames({ values, pageValues }: MetricColumns): void {
  for (const name of [...values, ...pageValues])
    if (!nameGrammar.test(name)) throw new RangeError(`${name} cannot be the name of a column.`)
}

export const valueColumn = (name: string) => `v_${name}`
export const pageColumn = (name: string) => `pages.p_${name}`
