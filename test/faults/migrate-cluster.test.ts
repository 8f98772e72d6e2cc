// @slow clickhouse
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFolderDestination } from '../../src/store/embedded/folder-contents.ts'
import { type Cluster, clusterMissing, clusterName, isClusterTested, type Node, startCluster } from '../clickhouse/engines/cluster.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { historyOf } from '../support/history.ts'
import { needing } from '../support/needs.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const checkIds = Array.from({ length: 8 }, (_, i) => `check-${i}`)
const results = 50_000
const patient = { timeout: 300_000, interval: 500 }

describe.runIf(isClusterTested)(
  'a migration between a data folder and a cluster of two shards with two replicas',
  { ...needing(await clusterMissing()), timeout: 1_800_000 },
  () => {
    let cluster: Cluster
    beforeAll(async () => {
      cluster = await startCluster()
    }, 300_000)
    afterAll(() => cluster?.stop())

    const nodeAt = (shard: number, replica: number): Node => {
      const node = cluster.nodes.find((node) => node.shard === shard && node.replica === replica)
      if (!node) throw new Error('there is no such node')
      return node
    }
    /** A folder whose config file refers to the cluster, through this node. */
    const folderFor = ({ url }: Node) => configuredFolder({ store: { clickhouse: { url, cluster: clusterName } } })
    const countAt = async ({ url }: Node, table: string) => {
      const answer = await fetch(url, { method: 'POST', body: `SELECT count() FROM tidemark.${table} FINAL` }).catch(() => null)
      return answer?.ok ? Number(await answer.text()) : 0
    }

    test('loses and duplicates nothing in either direction while nodes are stopped and started', async () => {
      for (const node of cluster.nodes) await node.start()
      const [asked, other] = [nodeAt(1, 1), nodeAt(2, 2)]
      const from = temporaryFolder()
      const source = await openFolderDestination(from)
      for (const batch of historyOf(results, checkIds)) await source.append(batch)
      await source.close()

      const there = await startProgram(['migrate', '--from', from, '--to', asked.url], { cwd: folderFor(asked) }, /(Copying)/)
      await expect.poll(() => countAt(asked, 'results'), patient).toBeGreaterThan(0)
      await other.kill()
      await other.start()
      expectWhole(await there.ended)
      const shares = await Promise.all([asked, other].map((node) => countAt(node, 'results_local')))
      expect(Math.min(...shares)).toBeGreaterThan(0)
      expect(shares[0] ?? 0).toBe(results - (shares[1] ?? 0))

      const folder = folderFor(other)
      const back = await startProgram(['migrate', '--from', other.url, '--to', join(folder, 'data')], { cwd: folder }, /(Copying)/)
      await asked.kill()
      await asked.start()
      expectWhole(await back.ended)
      expect((await tidemark(folder, 'doctor')).stdout).toContain('50000 results, each read and verified')

      const again = await runProgram(['migrate', '--from', from, '--to', asked.url], { cwd: folderFor(asked) })
      expectWhole(again)
      expect(again.stdout).toContain('0 results copied')
    })
  },
)

function expectWhole({
  status,
  stdout,
  stderr,
}: {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}): void {
  expect({ status, ...(status !== 0 && { stderr }) }).toEqual({ status: 0 })
  expect(stdout).toContain('Compared all 50,000 results by check, start, location and id: none missing.')
  expect(stdout).not.toContain('that the source lacks')
}
