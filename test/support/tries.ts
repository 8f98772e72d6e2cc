import { isEmulated } from '../clickhouse/engines/modern-plan.mjs'

const { TIDEMARK_TEST_CLICKHOUSE_ENGINE: engine, TIDEMARK_TEST_SEED: seed, TIDEMARK_TEST_THOROUGH: thorough } = process.env
const isSlow = isEmulated && engine === 'modern'
/** Whether examples are new in every run, as in `npm run test:explore`. */
export const isExploring = seed === 'random'

/** Whether more examples are worth their time, as in `.ci/run` and `npm run test:explore` but not in `npm test`. */
export const isThorough = isExploring || thorough === '1'

/**
 * How many examples to try for a costly property: `most` if examples are random (`npm run test:explore`), a fraction of them if every run
 * draws the same ones, and one if ClickHouse is emulated, where a property takes minutes.
 */
export function triesOf(most: number): number {
  if (isSlow) return 1
  return isExploring ? most : Math.ceil(most / (isThorough ? 6 : 10))
}
