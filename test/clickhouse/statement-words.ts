import { grouped } from '../../src/collections/lists.ts'
import { registeredColumns } from '../../src/store/clickhouse/schema/metric-columns.ts'

/** Tokens of a statement: bound parameters, literals, names and signs; any other character is its own token. */
const token = /\{\w+:[\w()]+\}|'[^']*'|--|\/\*|\w+|\S/g

const words = (text: string) => text.trim().split(/\s+/)

const keywords = words(`
  SELECT DISTINCT FROM FINAL WHERE AND OR IN BETWEEN AS ARRAY JOIN GROUP HAVING ORDER BY DESC LIMIT OFFSET
`)
const functions = words(`
  abs argMaxMerge arrayCount arrayDifference arrayExists arrayJoin arrayMap arrayPopFront arrayReduce arraySlice arraySort assumeNotNull bitAnd CAST cityHash64 concat count floor greatest groupArray hex if ifNull intDiv isNull least length max
  maxMerge min modulo multiIf sum sumForEach toInt64 toString toUInt8 toUInt32 toUInt64 transform uniqExact
`)
const tables = words('arrivals commits day_counts definitions evidence latest results retentions tidemark_schema system columns')
const columns = words(`
  _part_index day account accounts arrival arrived attempts body checkId checkIds database error fingerprint firstStart flags gap id isFuture lastStart name newest pages
  position precedence resultId rhythm runLocation seenAt startedAt state table type results unit bucket bound each flagged key0 key1 label passes process days evidenceDays beat at now 10800 url version
`)
const parameters = words(`
  {account:String} {accounts:Array(String)} {atId:String} {atLocation:String} {atTime:Int64} {checkId:String} {checkIds:Array(String)}
  {database:String} {derived:Array(Int64)} {failing:UInt8} {from:Int64} {from:UInt64} {id:String} {ids:Array(String)} {last:UInt64} {limit:UInt64} {marginMs:Int64}
  {bounds:Array(Float64)} {kindOf:Array(String)} {kinds:Array(UInt32)} {labels:Array(UInt32)} {numbers:Array(UInt32)} {labelFrom:Array(UInt32)} {labelCount:Array(UInt32)}
  {table:String} {states:Array(String)} {locations:Array(String)} {fieldValues:Array(Float64)} {firstBucket:Int64} {bucketMs:Int64} {unitFrom:Array(Int64)} {unitMs:Array(Int64)}
  {offset0:Array(Int64)} {offset1:Array(Int64)} {offsetFrom0:Array(Int64)} {offsetFrom1:Array(Int64)} {p50:Float64} {p90:Float64} {p95:Float64} {p99:Float64} {median:Float64}
  {startedFrom:Int64} {unitMs:Int64} {location:String} {offset:UInt64} {precedences:Array(String)} {resultId:String} {startedAt:Int64} {startedBefore:Int64} {to:Int64}
`)
const signs = words(
  "( ) [ ] , . = < > ! + - * / 0 1 2 4 5 128 255 1000 100000 3600000 86400000 2147483647 9007199254740991 '' '/' 'sum' 'maxIf' 'minIf' 'quantileExact(0.5)' 'quantileExact(0.9)' 'quantileExact(0.95)' 'quantileExact(0.99)' NULL Nullable Float64",
)

/** The number parameter and the named value of each column of a query. */
const kinds = Array.from({ length: 100 }, (_, number) => [String(number), `{kinds${number}:Array(UInt32)}`, `value${number}`]).flat()

/** The words of queries and inserts. Callers cannot choose any of them, except among the metrics of the registry. */
const known = new Set([...keywords, ...functions, ...tables, ...columns, ...metricColumns(), ...parameters, ...kinds, ...signs])

function metricColumns(): readonly string[] {
  const { values, pageValues } = registeredColumns()
  return [...values.map((name) => `v_${name}`), ...pageValues.map((name) => `p_${name}`)]
}

/** DDL statements run at startup, before any request. */
export function isOfSchema(sql: string): boolean {
  return /^(CREATE|ALTER|INSERT INTO tidemark_schema) /.test(sql)
}

/** Tokens of a query or insert that are not words of the store. */
export function unknownWords(sql: string): readonly string[] {
  return tokensOf(sql).filter((word) => !known.has(word))
}

/** Texts that consist of the same words in another order: one shape of query, written in two ways. */
export function reordered(texts: readonly string[]): readonly (readonly string[])[] {
  const byWords = grouped(new Set(texts), (text) => tokensOf(text).toSorted().join(' '))
  return [...byWords.values()].filter((same) => same.length > 1)
}

/** The statement without the list of columns that it selects from results. */
export function withoutColumns(sql: string): string {
  return sql.replace(/^SELECT .*? FROM results( FINAL)?/, 'SELECT … FROM results$1')
}

const tokensOf = (sql: string) => sql.match(token) ?? []
