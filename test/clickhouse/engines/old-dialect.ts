/** What a server of an older version knows, and how many replicas of a shard are its majority. */
export type OldServer = { readonly settings: ReadonlySet<string>; readonly tableSettings: ReadonlySet<string>; readonly quorum: number }

/** Settings that newer versions have renamed. */
const olderNames: Readonly<Record<string, string>> = {
  distributed_foreground_insert: 'insert_distributed_sync',
  distributed_background_insert_batch: 'distributed_directory_monitor_batch_inserts',
}

/** What newer versions write in another way. */
const olderForms: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\bLIMIT\s+(\d+)\s+OFFSET\s+(\d+)/gi, 'LIMIT $2, $1'],
  [/^(\s*DROP\s[\s\S]*?)\s+SYNC\s*$/i, '$1'],
  [/^\s*DELETE\s+FROM\s+(\S+)\s+(ON\s+CLUSTER\s+\S+\s+)?WHERE\b/i, 'ALTER TABLE $1 $2DELETE WHERE'],
  [/\bADD\s+COLUMN\s+IF\s+NOT\s+EXISTS\b/gi, 'ADD COLUMN'],
  // The front keeps these tokens itself.
  [/^\s*SELECT name FROM system\.settings WHERE name = 'insert_deduplication_token'/i, "SELECT 'insert_deduplication_token' AS name"],
  [/^\s*ALTER\s[\s\S]*\s(MODIFY\s+(TTL|SETTING)|MATERIALIZE\s+TTL)\b[\s\S]*$/i, 'SELECT 1'],
]

/** A statement for a server of an older version, without what came later: codecs, expiry, and settings that it does not know. */
export function toOldSql(sql: string, server: OldServer): string {
  const statement = olderForms.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), sql)
  const isTable = /^\s*(CREATE|ALTER)\s/i.test(statement)
  const known = isTable ? server.tableSettings : server.settings
  return withOldSettings(isTable ? withoutExpiry(withoutCodecs(statement)) : statement, known)
}

/**
 * New columns for one replica, which the others of its shard take over: with ON CLUSTER, two replicas at times add them at the same time,
 * and the second one never runs such a statement again. Those of tables that are not replicated are refused with ON CLUSTER.
 */
export function onOneReplica(sql: string): string {
  return sql.replace(/^(\s*ALTER\s+TABLE\s+\S+)\s+ON\s+CLUSTER\s+\S+(?=\s+ADD\s+COLUMN\b)/i, '$1')
}

/** Whether replicas take over new columns of the table from each other. */
export const isReplicated = (sql: string) => /^\s*ALTER\s+TABLE\s+\S+_local\b/i.test(sql)

/** Old servers send an insert to all shards, also where it holds rows of one alone: those of one are inserted there. */
export const intoLocal = (sql: string) => sql.replace(/^(\s*INSERT\s+INTO\s+\w+)/i, '$1_local')

/** Whether an error of the older form is none of the newer one: the column is there already, or a replica that is away gets it later. */
export function isExpected(sql: string, error: string): boolean {
  const isNoError = /column with this name already exists|Alter will be done asynchronously/.test(error)
  return /\bADD\s+COLUMN\s+IF\s+NOT\s+EXISTS\b/i.test(sql) && isNoError
}

/** The setting under its older name and value, or null where the server has none for it. */
export function toOldSetting(name: string, value: string, server: OldServer): [name: string, value: string] | null {
  if (name === 'insert_quorum' && value === 'auto') return [name, String(server.quorum)]
  const older = server.settings.has(name) ? name : olderNames[name]
  return older === undefined ? null : [older, value]
}

/** `CODEC(Delta(8), ZSTD(1))`: parentheses within it are nested once. */
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
