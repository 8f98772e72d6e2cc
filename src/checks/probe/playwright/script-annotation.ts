import type { Report } from './report.ts'

/** What the `test` that we give to scripts tells of each test, in the report, as JSON. */
export const annotationType = 'tidemark'

/** What was told under that type of annotation, in the order of the tests; what is no JSON object is passed over. */
export function annotated(report: Report | null, type: string): readonly Readonly<Record<string, unknown>>[] {
  const texts = (report?.tests ?? []).flatMap(({ annotations }) => annotations.filter((one) => one.type === type))
  return texts.flatMap(({ description = '' }) => {
    const value = parsed(description)
    return typeof value === 'object' && value !== null ? [value as Readonly<Record<string, unknown>>] : []
  })
}

/** A measured number, or null for anything else. */
export function measuredNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

/** The total of a number that each told; null where none told it. */
export function total(told: readonly Readonly<Record<string, unknown>>[], name: string): number | null {
  const values = told.map((one) => measuredNumber(one[name])).filter((value) => value !== null)
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
