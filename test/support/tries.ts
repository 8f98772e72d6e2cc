import { isEmulated } from '../clickhouse/engines/modern-plan.mjs'

const { TIDEMARK_TEST_CLICKHOUSE_ENGINE: engine, TIDEMARK_TEST_SEED: seed, TIDEMARK_TEST_THOROUGH: thorough } = process.env
const isSlow = isEmulated && engine === 'modern'
/** Whether examples are new in every run: `npm run test:explore`. */
export const isExploring = seed === 'random'

/** Whether more examples are worth their time: `.ci/run` and `npm run test:explore` say so, `npm test` does not. */
export const isThorough = isExploring || thorough === '1'

/**
 * On how many examples a costly property is checked: `most` where they are new (`npm run test:explore`), the first of them where every run
 * draws the same, and one where ClickHouse is emulated, which takes minutes for it.
 */
export function triesOf(most: number): number {
  if (isSlow) return 1
  return isExploring ? most : Math.ceil(most / (isThorough ? 6 : 10))
}
