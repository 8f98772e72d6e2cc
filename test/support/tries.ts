import { isEmulated } from '../clickhouse/engines/modern-plan.mjs'

const { TIDEMARK_TEST_CLICKHOUSE_ENGINE: engine, TIDEMARK_TEST_SEED: seed } = process.env
const isSlow = isEmulated && engine === 'modern'

/**
 * On how many examples a costly property is checked: `most` where they are new (`npm run test:explore`), some of them where every run draws
 * the same, and one where ClickHouse is emulated, which takes minutes for it.
 */
export function triesOf(most: number): number {
  if (isSlow) return 1
  return seed === 'random' ? most : Math.ceil(most / 4)
}
