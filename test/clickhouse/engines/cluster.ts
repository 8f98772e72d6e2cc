import { rm } from 'node:fs/promises'
import { programMissing } from '../../support/needs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { createQuorumWrites, type QuorumWrites } from './front.ts'
import { type Link, startLink } from './link.ts'
import { reservePort } from './ports.ts'
import type { Process } from './process.ts'
import { launchServer, reservePorts, startOldFront } from './server.ts'
import { type Ports, writeServerConfig } from './server-config.ts'
import { startZooKeeper, type ZooKeeper, zooKeeperMissing } from './zookeeper.ts'

/** Name of the cluster in its servers' configuration. */
export const clusterName = 'tidemark'

export type Node = {
  readonly shard: number
  readonly replica: number
  /** The URL for clients, through the front. */
  readonly url: string
  isRunning(): boolean
  kill(): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
  /** Pauses the process until `resume`: connections are accepted, but nothing is answered. */
  pause(): void
  resume(): void
  /** Cuts the node off from clients, other nodes and ZooKeeper until `heal`. */
  cut(): void
  heal(): void
}
export type Cluster = { readonly nodes: readonly Node[]; readonly zooKeeper: ZooKeeper; stop(): Promise<void> }
export type ClusterSize = { readonly shards: number; readonly replicas: number }

type Place = { readonly shard: number; readonly replica: number; readonly ports: Ports }
type ClusterContext = {
  readonly places: readonly Place[]
  readonly zooKeeperPort: number
  readonly quorumWrites: QuorumWrites
  readonly tokens: Map<string, Promise<boolean>>
}

/** Servers listen on this address. Links listen on 127.0.0.1 on the same ports, and forward to it. */
const behindLinks = '127.0.0.2'

/** Clusters take minutes and much of the machine, so only `npm run test:clickhouse` and `npm run test:faults` start them. */
export const isClusterTested = process.env.TIDEMARK_FAULT_ROUNDS !== undefined

/** Null if clusters are not tested: then nothing is missing. */
export async function clusterMissing(): Promise<string | null> {
  if (!isClusterTested) return null
  return (await programMissing('clickhouse-server')) ?? zooKeeperMissing()
}

/** Starts shards of equally many replicas and one ZooKeeper, all on this machine. */
export async function startCluster({ shards, replicas }: ClusterSize = { shards: 2, replicas: 2 }): Promise<Cluster> {
  const zooKeeper = await startZooKeeper()
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
  const places = await Promise.all(
    numbers(shards).flatMap((shard) => numbers(replicas).map(async (replica) => ({ shard, replica, ports: await reservePorts() }))),
  )
  const context = { places, zooKeeperPort: zooKeeper.port, quorumWrites: createQuorumWrites(), tokens: new Map() }
  const started = await Promise.all(places.map((place) => startNode(place, context)))
  return {
    nodes: started.map(({ node }) => node),
    zooKeeper,
    async stop() {
      await Promise.all(started.map(({ end }) => end()))
      await zooKeeper.stop()
    },
  }
}

async function startNode(place: Place, { places, zooKeeperPort, quorumWrites, tokens }: ClusterContext) {
  const { shard, replica, ports } = place
  const toZooKeeper = await reservePort()
  const folder = temporaryFolder()
  const config = writeServerConfig(folder, { host: behindLinks, ports, cluster: clusterConfig(place, places, toZooKeeper) })
  const links = await Promise.all([
    startLink({ host: '127.0.0.1', port: toZooKeeper }, { host: '127.0.0.1', port: zooKeeperPort }),
    ...Object.values(ports).map((port) => startLink({ host: '127.0.0.1', port }, { host: behindLinks, port })),
  ])
  const launch = () => launchServer(config, `http://${behindLinks}:${ports.http}`)
  let running: Process = await launch()
  const front = await startOldFront(addressOf(place), {
    quorum: majorityOf(places, shard),
    quorumWrites,
    tokens,
    otherShards: places.filter((other) => other.shard !== shard && other.replica === 1).map(addressOf),
    others: places.filter((other) => other !== place).map(addressOf),
    shards: new Map([...places.filter(({ replica }) => replica === 1), place].map((other) => [other.shard, addressOf(other)])),
  })
  const node: Node = {
    shard,
    replica,
    url: front.url,
    isRunning: () => running.isRunning(),
    kill: () => running.end('SIGKILL'),
    stop: () => running.terminate(),
    async start() {
      if (!running.isRunning()) running = await launch()
    },
    pause: () => void process.kill(running.pid, 'SIGSTOP'),
    resume: () => void process.kill(running.pid, 'SIGCONT'),
    cut: () => each(links, (link) => link.cut()),
    heal: () => each(links, (link) => link.heal()),
  }
  const end = async () => {
    await front.close()
    await running.end('SIGKILL')
    await Promise.all(links.map((link) => link.close()))
    await rm(folder, { recursive: true, force: true })
  }
  return { node, end }
}

const addressOf = ({ ports }: Place) => `http://127.0.0.1:${ports.http}`

function each(links: readonly Link[], act: (link: Link) => void): void {
  for (const link of links) act(link)
}

function majorityOf(places: readonly Place[], shard: number): number {
  return Math.floor(places.filter((place) => place.shard === shard).length / 2) + 1
}

function clusterConfig({ shard, replica }: Place, places: readonly Place[], zooKeeperPort: number): string {
  const shards = [...new Set(places.map((place) => place.shard))].map((number) => {
    const replicas = places.filter((place) => place.shard === number)
    const addresses = replicas.map(({ ports }) => `<replica><host>127.0.0.1</host><port>${ports.tcp}</port></replica>`)
    return `<shard><internal_replication>true</internal_replication>${addresses.join('')}</shard>`
  })
  return `<remote_servers incl="none"><${clusterName}>${shards.join('')}</${clusterName}></remote_servers>
  <zookeeper incl="none">
    <node index="1"><host>127.0.0.1</host><port>${zooKeeperPort}</port></node>
    <session_timeout_ms>4000</session_timeout_ms>
    <operation_timeout_ms>2000</operation_timeout_ms>
  </zookeeper>
  <macros incl="none"><shard>${shard}</shard><replica>${replica}</replica></macros>
  <merge_tree>
    <zookeeper_session_expiration_check_period>1</zookeeper_session_expiration_check_period>
    <old_parts_lifetime>30</old_parts_lifetime>
    <cleanup_delay_period>10</cleanup_delay_period>
  </merge_tree>
  <distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>`
}
