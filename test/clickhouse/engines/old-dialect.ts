/** Settings that a server of an older version knows, and the majority of a shard's replicas. */
export type OldServer = { readonly settings: ReadonlySet<string>; readonly tableSettings: ReadonlySet<string>; readonly quorum: number }

/** Settings that newer versions have renamed. */
const olderNames: Readonly<Record<string, string>> = {
  distributed_foreground_insert: 'insert_distributed_sync',
  distributed_background_insert_batch: 'distributed_directory_monitor_batch_inserts',
}

/** Syntax that newer versions write differently. */
const olderForms: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\bLIMIT\s+(\d+)\s+OFFSET\s+(\d+)/gi, 'LIMIT $2, $1'],
  [/^(\s*DROP\s[\s\S]*?)\s+SYNC\s*$/i, '$1'],
  [/^\s*DELETE\s+FROM\s+(\S+)\s+(ON\s+CLUSTER\s+\S+\s+)?WHERE\b/i, 'ALTER TABLE $1 $2DELETE WHERE'],
  [/\bADD\s+COLUMN\s+IF\s+NOT\s+EXISTS\b/gi, 'ADD COLUMN'],
  // The front implements these tokens itself.
  [/^\s*SELECT name FROM system\.settings WHERE name = 'insert_deduplication_token'/i, "SELECT 'insert_deduplication_token' AS name"],
  [/^\s*ALTER\s[\s\S]*\s(MODIFY\s+(TTL|SETTING)|MATERIALIZE\s+TTL)\b[\s\S]*$/i, 'SELECT 1'],
]

/** Translates a statement for an older server: drops codecs, expiry, and settings that it does not know. */
export function toOldSql(sql: string, server: OldServer): string {
  const statement = olderForms.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), sql)
  const isTable = /^\s*(CREATE|ALTER)\s/i.test(statement)
  const known = isTable ? server.tableSettings : server.settings
  return withOldSettings(isTable ? withoutExpiry(withoutCodecs(statement)) : statement, known)
}

/**
 * Adds columns on one replica, from which the others of its shard replicate them. With ON CLUSTER, two replicas sometimes add them at
 * the same time, and the second one never runs such a statement again. Tables that are not replicated reject new columns with ON
 * CLUSTER.
 */
export function onOneReplica(sql: string): string {
  return sql.replace(/^(\s*ALTER\s+TABLE\s+\S+)\s+ON\s+CLUSTER\s+\S+(?=\s+ADD\s+COLUMN\b)/i, '$1')
}

/** Whether replicas copy the table's new columns from each other. */
export const isReplicated = (sql: string) => /^\s*ALTER\s+TABLE\s+\S+_local\b/i.test(sql)

/** Old servers send an insert to all shards, even if its rows are for one: these are inserted on that shard directly. */
export const intoLocal = (sql: string) => sql.replace(/^(\s*INSERT\s+INTO\s+\w+)/i, '$1_local')

/** Whether an error of an old server would not occur on a newer one: the column exists already, or a replica that is down gets it later. */
export function isExpected(sql: string, error: string): boolean {
  const isNoError = /column with this name already exists|Alter will be done asynchronously/.test(error)
  return /\bADD\s+COLUMN\s+IF\s+NOT\s+EXISTS\b/i.test(sql) && isNoError
}

/** The setting by its older name and value; null if the server has none for it. */
export function toOldSetting(name: string, value: string, server: OldServer): [name: string, value: string] | null {
  if (name === 'insert_quorum' && value === 'auto') return [name, String(server.quorum)]
  const older = server.settings.has(name) ? name : olderNames[name]
  return older === undefined ? null : [older, value]
}

/** `CODEC(Delta(8), ZSTD(1))`: parentheses are nested once. */
function withoutCodecs(sql: string): string {
  return sql.replaceAll(/\s*\bCODEC\s*\((?:[^()]|\([^()]*\))*\)/gi, '')
}

/** The expiry of a table is the last clause before its settings. */
function withoutExpiry(sql: string): string {
  return sql.replace(/\s*\bTTL\s(?:(?!\bSETTINGS\b)[\s\S])*/i, ' ')
}

function withOldSettings(sql: string, known: ReadonlySet<string>): string {
  return sql.replace(/\bSETTINGS\s+(\w+\s*=\s*(?:'[^']*'|[\w.]+)(?:\s*,\s*\w+\s*=\s*(?:'[^']*'|[\w.]+))*)/gi, (_, list: string) => {
    const kept = list.split(',').filter((setting) => known.has(setting.split('=')[0]?.trim() ?? ''))
    return kept.length === 0 ? '' : `SETTINGS ${kept.join(',').trim()}`
  })
}
