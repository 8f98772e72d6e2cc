import { type Connection, openConnection, type ServerConnectionOptions, type StatementSettings } from './connection.ts'
import { createDefine } from './schema/upgrade.ts'

export type ClickHouseServer = {
  readonly url: string
  /** Other servers of the same cluster, used in turn. */
  readonly otherUrls?: readonly string[]
  readonly database: string
  /** The cluster that shards the results; null for a single server. */
  readonly cluster: string | null
  readonly username: string
  readonly password: string
  /** CA certificates for the server's certificate; null for those that Node trusts. */
  readonly ca: Uint8Array | null
}

/** Timeout between servers of a cluster: after it, a server asks another replica instead of a silent one. */
const betweenServers = { send_timeout: 12, receive_timeout: 12 } as const

/** An insert is acknowledged once a quorum has it on disk, even if it spans several shards or repeats rows that got no quorum before. */
const clusterInserts = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 1,
  insert_deduplicate: 0,
  distributed_foreground_insert: 1,
  insert_quorum_timeout: '10000',
  ...betweenServers,
} as const
/** One insert at a time, so that a read that begins later sees every acknowledged write. */
const consistentInserts = { ...clusterInserts, insert_quorum_parallel: 0 } as const
const consistentQuestions = { select_sequential_consistency: 1, ...betweenServers } as const
/** Refuses a question about one check that would ask several shards. */
const oneShard = { force_optimize_skip_unused_shards: 2 } as const
/** A replica with a larger lag is asked only if there is no other. */
const maxLagSeconds = 30
/** A question asks only shards that hold its checks. */
const clusterQuestions = {
  optimize_skip_unused_shards: 1,
  max_replica_delay_for_distributed_queries: maxLagSeconds,
  ...betweenServers,
} as const

export const oneCheckSettings = ({ cluster }: ClickHouseServer): StatementSettings => (cluster === null ? {} : oneShard)

/** Sends an insert to one shard: without this setting, a server writes to all shards, even if only one has rows. */
export const shardSettings = (shard: number): StatementSettings => (shard > 0 ? { insert_shard_id: String(shard) } : {})

type ConnectOptions = Pick<ServerConnectionOptions, 'log' | 'onStatement'>

export function connectTo({ cluster, ...access }: ClickHouseServer, options: ConnectOptions): Promise<Connection> {
  return openConnection({
    ...access,
    ...options,
    ...(cluster !== null && { questionSettings: clusterQuestions, insertSettings: clusterInserts }),
  })
}

/** Like `connectTo`, for tables that every server holds whole; reads see all acknowledged writes. */
export function connectConsistently({ cluster, ...access }: ClickHouseServer, options: ConnectOptions): Promise<Connection> {
  return openConnection({
    ...access,
    ...options,
    ...(cluster !== null && { questionSettings: consistentQuestions, insertSettings: consistentInserts }),
  })
}

/** Creates the database if it is missing, after the server was inspected. */
export async function ensureDatabase(
  { cluster, database, ...access }: ClickHouseServer,
  inspect: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connection = await openConnection({ ...access, database: null, log: () => {} })
  try {
    await inspect(connection)
    const [found] = await connection.rows({ sql: 'SELECT name FROM system.databases WHERE name = {database:String}', params: { database } })
    const { define } = createDefine(connection, { cluster })
    if (!found) await define(`CREATE DATABASE IF NOT EXISTS ${database}${cluster === null ? '' : ` ON CLUSTER ${cluster}`}`)
  } finally {
    await connection.close()
  }
}
