import { parsedJson } from '../../../text/parsed-json.ts'
import type { SuiteReport } from './report.ts'

/** The annotation type by which the extended `test` reports measurements, as JSON. */
export const annotationType = 'tidemark'

/** The contents of annotations of that type, in test order; anything but a JSON object is skipped. */
export function annotationsOf(report: SuiteReport | null, type: string): readonly Readonly<Record<string, unknown>>[] {
  const texts = (report?.tests ?? []).flatMap(({ annotations }) => annotations.filter((one) => one.type === type))
  return texts.flatMap(({ description = '' }) => {
    const value = parsedJson(description)
    return typeof value === 'object' && value !== null ? [value as Readonly<Record<string, unknown>>] : []
  })
}

/** A measured number, or null for anything else. */
export function measuredNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

/** The sum of a number over all annotations; null if none has it. */
export function total(annotations: readonly Readonly<Record<string, unknown>>[], name: string): number | null {
  const values = annotations.map((one) => measuredNumber(one[name])).filter((value) => value !== null)
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}
