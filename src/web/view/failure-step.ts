/** Runs of a day or an hour, in total and successful. */
type Counts = { readonly total: number; readonly success: number }

/** Severity steps that can be visually distinguished. */
export const failureSteps = [
  { name: 'fine', label: 'no failures' },
  { name: 'few', label: 'less than 1 % failed' },
  { name: 'some', label: 'less than 10 %' },
  { name: 'many', label: '10 % or more' },
] as const
export type FailureStep = (typeof failureSteps)[number]['name'] | 'none'

/** `none` without runs. */
export function failureStep({ total, success }: Counts): FailureStep {
  if (total === 0) return 'none'
  const failed = total - success
  if (failed === 0) return 'fine'
  if (failed * 100 < total) return 'few'
  return failed * 10 < total ? 'some' : 'many'
}
