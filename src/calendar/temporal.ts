import { createRequire } from 'node:module'
import type { Temporal } from 'temporal-polyfill'

const load = createRequire(import.meta.url)
let library: typeof Temporal | undefined

/** The Temporal API, loaded on first use: questions in UTC do not need it. */
export function temporal(): typeof Temporal {
  library ??= (load('temporal-polyfill') as typeof import('temporal-polyfill')).Temporal
  return library
}
