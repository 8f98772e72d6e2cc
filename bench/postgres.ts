import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const port = 54_329
const table = `CREATE TABLE results (
  check_id text NOT NULL, started_at bigint NOT NULL, location text NOT NULL, id text NOT NULL, has_failures boolean NOT NULL,
  attempts integer NOT NULL, status integer, response_time float8, dns float8, first_byte float8, download float8,
  PRIMARY KEY (check_id, started_at, location, id))`

/** Debian's PostgreSQL, started only for this benchmark and measured with its own pgbench and psql. */
export type Postgres = {
  readonly version: string
  /** Durable single-row inserts per second. */
  singleRows(connections: number, seconds: number): number
  /** Rows per second with COPY, one file per transaction. */
  copies(files: readonly string[], rowsPerFile: number, connections: number): Promise<number>
  stop(): Promise<void>
}

/** Null if PostgreSQL is not installed. */
export async function startPostgres(folder: string): Promise<Postgres | null> {
  const bin = newestBin()
  const user = serverUser()
  if (!bin || !user) return null
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  chownSync(folder, user.uid, user.gid)
  const run = (name: string, args: readonly string[], input?: string) => {
    const done = spawnSync(join(bin, name), args, { ...user, encoding: 'utf8', ...(input !== undefined && { input }) })
    if (done.status !== 0) throw new Error(`${name}: ${done.stderr}`)
    return done.stdout
  }
  run('initdb', ['-D', join(folder, 'db'), '-A', 'trust', '-U', 'bench', '-E', 'UTF8', '--no-locale'])
  const settings = [
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'synchronous_commit=on',
    '-c',
    'fsync=on',
    '-c',
    'shared_buffers=256MB',
    '-c',
    'max_wal_size=4GB',
  ]
  const server = spawn(join(bin, 'postgres'), ['-D', join(folder, 'db'), '-k', folder, '-p', String(port), ...settings], {
    ...user,
    stdio: 'ignore',
  })
  const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', 'bench']
  while (spawnSync(join(bin, 'pg_isready'), connection, user).status !== 0) await sleep(200)
  run('psql', [...connection, '-d', 'postgres', '-c', table])
  const script = join(folder, 'insert.sql')
  writeFileSync(
    script,
    String.raw`\set t random(1, 1000000000000)
INSERT INTO results VALUES ('check-1', :t, 'eu-west-1', md5(random()::text), false, 1, 200, 129.7, 18.3, 55.1, 12.4);`,
  )
  return {
    version: run('postgres', ['--version']).trim(),
    singleRows(connections, seconds) {
      const output = run('pgbench', [
        ...connection,
        '-n',
        '-c',
        String(connections),
        '-j',
        '2',
        '-T',
        String(seconds),
        '-f',
        script,
        'postgres',
      ])
      return Number(/tps = ([\d.]+)/.exec(output)?.[1] ?? 0)
    },
    async copies(files, rowsPerFile, connections) {
      const begun = performance.now()
      const shares = Array.from({ length: connections }, (_, i) => files.filter((_, at) => at % connections === i))
      await Promise.all(shares.map((share) => copyAll(join(bin, 'psql'), [...connection, '-d', 'postgres', '-q'], share, user)))
      return (files.length * rowsPerFile) / ((performance.now() - begun) / 1000)
    },
    async stop() {
      server.kill('SIGINT')
      await new Promise((resolve) => server.once('exit', resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type User = { readonly uid: number; readonly gid: number }

async function copyAll(psql: string, args: readonly string[], files: readonly string[], user: User): Promise<void> {
  const client = spawn(psql, args, { ...user, stdio: ['pipe', 'ignore', 'inherit'] })
  client.stdin.end(files.map((file) => `\\copy results FROM '${file}' (FORMAT csv)\n`).join(''))
  const status = await new Promise((resolve) => client.once('exit', resolve))
  if (status !== 0) throw new Error(`psql ended with ${status}`)
}

function newestBin(): string | undefined {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return undefined
  const [newest] = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  return newest && join(root, newest, 'bin')
}

/** PostgreSQL refuses to run as root, so root runs it as the user of its package. */
function serverUser(): User | undefined {
  const { uid, gid } = userInfo()
  if (uid !== 0) return { uid, gid }
  const user = spawnSync('id', ['-u', 'postgres'], { encoding: 'utf8' })
  const group = spawnSync('id', ['-g', 'postgres'], { encoding: 'utf8' })
  return user.status === 0 ? { uid: Number(user.stdout), gid: Number(group.stdout) } : undefined
}
