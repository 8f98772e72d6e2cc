import { type Connection, openConnection, type ServerConnectionOptions, type StatementSettings } from './connection.ts'
import { createDefine } from './schema/upgrade.ts'

/** The server that holds the results. */
export type ClickHouseServer = {
  readonly url: string
  /** Other servers of the same cluster: they are asked in turn. */
  readonly otherUrls?: readonly string[]
  readonly database: string
  /** The cluster over whose servers results are spread; null for one server. */
  readonly cluster: string | null
  readonly username: string
  readonly password: string
  /** Certificates that sign that of the server; null for those that Node trusts. */
  readonly ca: Uint8Array | null
}

/** Servers of a cluster wait for one that is silent no longer, and ask its replica. */
const betweenServers = { send_timeout: 12, receive_timeout: 12 } as const

/** A quorum has it on disk, also where a batch spans several shards, and where the same rows were sent before without reaching one. */
const clusterInserts = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 1,
  insert_deduplicate: 0,
  distributed_foreground_insert: 1,
  insert_quorum_timeout: '10000',
  ...betweenServers,
} as const
/** One after the other, so that a read that begins later sees every write that was acknowledged. */
const consistentInserts = { ...clusterInserts, insert_quorum_parallel: 0 } as const
const consistentQuestions = { select_sequential_consistency: 1, ...betweenServers } as const
/** A question about one check asks one shard. */
const oneShard = { force_optimize_skip_unused_shards: 2 } as const
/** A replica that lags behind by more is asked only where there is no other. */
const maxLagSeconds = 30
/** A question asks only shards that hold its checks. */
const clusterQuestions = {
  optimize_skip_unused_shards: 1,
  max_replica_delay_for_distributed_queries: maxLagSeconds,
  ...betweenServers,
} as const

/** Settings of questions about one check. */
export const oneCheckSettings = ({ cluster }: ClickHouseServer): StatementSettings => (cluster === null ? {} : oneShard)

/** Settings of an insert into one shard: without them a server writes to all, also where one alone has rows. */
export const shardSettings = (shard: number): StatementSettings => (shard > 0 ? { insert_shard_id: String(shard) } : {})

type ConnectOptions = Pick<ServerConnectionOptions, 'log' | 'onStatement'>

/** A connection to the database of the results. */
export function connectTo({ cluster, ...access }: ClickHouseServer, options: ConnectOptions): Promise<Connection> {
  return openConnection({
    ...access,
    ...options,
    ...(cluster !== null && { questionSettings: clusterQuestions, insertSettings: clusterInserts }),
  })
}

/** The same for tables that every server holds whole, where reads see all that was acknowledged. */
export function connectConsistently({ cluster, ...access }: ClickHouseServer, options: ConnectOptions): Promise<Connection> {
  return openConnection({
    ...access,
    ...options,
    ...(cluster !== null && { questionSettings: consistentQuestions, insertSettings: consistentInserts }),
  })
}

/** Creates the database where it does not exist, once the server was inspected. */
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
