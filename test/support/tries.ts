import { isEmulated } from '../clickhouse/engines/modern-plan.mjs'

const isSlow = isEmulated && process.env.TIDEMARK_TEST_CLICKHOUSE_ENGINE === 'modern'

/** On how many examples a property is checked that asks a store: one where ClickHouse is emulated, which takes minutes for it. */
export const triesOf = (usual: number): number => (isSlow ? 1 : usual)
