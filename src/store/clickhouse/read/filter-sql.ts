import type { ResultFilter } from '../../store.ts'
import { valueColumn } from '../schema/metric-columns.ts'
import type { BoundSql } from './bucket-sql.ts'

export function filterSql({ success, failure, states, locations, field }: ResultFilter, isKnown: ReadonlySet<string>): BoundSql {
  const outcome = success ? 'bitAnd(flags, 1) = 0' : failure ? 'bitAnd(flags, 1) = 1' : '0'
  const byState = states.length > 0 ? ' OR ifNull(state IN {states:Array(String)}, 0)' : ''
  const conditions = [
    ...(success && failure ? [] : [`(${outcome}${byState})`]),
    ...(locations ? [locations.length > 0 ? 'runLocation IN {locations:Array(String)}' : '0'] : []),
    ...(field ? [fieldSql(field, isKnown)] : []),
  ]
  return {
    sql: conditions.length > 0 ? conditions.join(' AND ') : '1',
    params: {
      ...(states.length > 0 && { states }),
      ...(locations && { locations }),
      ...(field && { fieldValues: field.values }),
    },
  }
}

function fieldSql({ name, values }: NonNullable<ResultFilter['field']>, isKnown: ReadonlySet<string>): string {
  return values.length > 0 && isKnown.has(name) ? `ifNull(${valueColumn(name)} IN {fieldValues:Array(Float64)}, 0)` : '0'
}
