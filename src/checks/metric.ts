export type Unit = 'milliseconds' | 'percentage' | 'score' | 'count'

/**
 * A number that a run measures. `perPage` metrics are measured on each page of a run. `unlisted` ones can be queried, but are not in the
 * list of metrics, which clients expect not to change.
 */
export type Metric = { readonly unit: Unit; readonly label: string; readonly perPage?: true; readonly unlisted?: true }
export type Metrics = Readonly<Record<string, Metric>>

/** A dimension of results: the location of the run, an integer field, or the page of a run. */
export type Dimension = { readonly name: string; readonly by: 'location' | 'field' | 'page' }

export const milliseconds = (label: string) => ({ unit: 'milliseconds', label }) as const
export const percentage = (label: string) => ({ unit: 'percentage', label }) as const
export const count = (label: string) => ({ unit: 'count', label }) as const
export const score = (label: string) => ({ unit: 'score', label }) as const
export const perPage = <M extends Metric>(metric: M) => ({ ...metric, perPage: true }) as const
export const unlisted = <M extends Metric>(metric: M) => ({ ...metric, unlisted: true }) as const

export const runLocation: Dimension = { name: 'runLocation', by: 'location' }
export const statusCode: Dimension = { name: 'statusCode', by: 'field' }
export const pageIndex: Dimension = { name: 'pageIndex', by: 'page' }
